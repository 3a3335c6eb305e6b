-- What each model call and each message that a provider accepted cost, in the units and at the price of its day. The cost is null if
-- the price is unknown. There is no foreign key to participant; V33_01 says why. A call that a crash repeated has a row for each time
-- that it was paid, so rows do not refer to the call's own row either.
create table charge (
    -- of a message, the delivery's id
    id               varchar(40) primary key,
    participant_id   varchar(40) not null,
    turn             integer,
    iteration        integer,
    child            integer,
    outbox_id        varchar(40),
    kind             varchar(8) not null,
    -- the model, or the channel
    item             varchar(200) not null,
    units_in         bigint,
    units_cached     bigint,
    units_out        bigint,
    segments         integer,
    -- for a million tokens
    price_in         numeric(20, 9),
    price_cached     numeric(20, 9),
    price_out        numeric(20, 9),
    -- for a segment or a message
    price_message    numeric(20, 9),
    cost             numeric(30, 15),
    currency         varchar(8),
    confidence       varchar(16) not null,
    price_valid_from date,
    at               timestamp(6) with time zone not null,
    constraint charge_kind_known check (kind = any (array['model', 'message'])),
    constraint charge_confidence_known check (confidence = any (array['exact', 'estimated', 'unknown']))
);
create index charge_of on charge (participant_id, at);
create index charge_by_time on charge (at);
