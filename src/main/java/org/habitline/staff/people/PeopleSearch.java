package org.habitline.staff.people;

import io.micronaut.http.HttpStatus;
import io.micronaut.security.authentication.Authentication;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowCatalog;
import org.habitline.messaging.ConsentGate;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.ConsentState;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantStatus;
import org.habitline.participants.Participants;
import org.habitline.participants.PhoneNumbers;
import org.habitline.participants.UnreadablePhoneNumber;
import org.habitline.protocol.StudyField;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.HabitLine;
import org.habitline.staff.web.Paging;
import org.habitline.staff.web.ParticipantFinder;
import org.habitline.staff.web.ReadLog;
import org.habitline.storage.Transactions;
import org.habitline.study.figures.Participation;
import org.jspecify.annotations.Nullable;

/**
 * Finds, sorts and counts participants for the page and the REST API. The names of filters here are
 * those of the parameters in addresses and forms.
 */
@Singleton
public final class PeopleSearch implements ParticipantFinder {

  /** Most participants that {@link #ids} returns: one more than one action may concern. */
  public static final int MOST_IDS = 10_001;

  private static final int LONGEST = 200;

  private static final int MOST_SILENT_DAYS = 3650;

  /** The participant who begins a page is never further back than this. */
  private static final long MOST_SKIPPED = 10_000_000;

  /**
   * Digits with the separators that people write between them; pages show a number as … and its
   * last two digits.
   */
  private static final Pattern DIGITS =
      Pattern.compile("^[…+\\s()./-]*+(?:[0-9][\\s()./-]*+){2,15}");

  /** The last digits of a phone number that everybody may see. */
  private static final int SHOWN_DIGITS = 4;

  private static final List<String> SORTS =
      Arrays.stream(JdbcPeople.SortKey.values())
          .map(key -> key.name().toLowerCase(Locale.ROOT))
          .toList();

  private final JdbcPeople rows;
  private final Participants participants;
  private final PhoneNumbers phoneNumbers;
  private final FlowCatalog flows;
  private final CustomFields fields;
  private final ConsentGate consents;
  private final ReadLog reads;
  private final Transactions transactions;
  private final Clock clock;

  PeopleSearch(
      JdbcPeople rows,
      Participants participants,
      PhoneNumbers phoneNumbers,
      FlowCatalog flows,
      CustomFields fields,
      ConsentGate consents,
      ReadLog reads,
      Transactions transactions,
      Clock clock) {
    this.rows = rows;
    this.participants = participants;
    this.phoneNumbers = phoneNumbers;
    this.flows = flows;
    this.fields = fields;
    this.consents = consents;
    this.reads = reads;
    this.transactions = transactions;
    this.clock = clock;
  }

  /**
   * The filters as given; a {@code null} or blank filter matches all.
   *
   * @param q a part of the name, the study id or a tag, the start of the id, a phone number or its
   *     last digits
   * @param studyId the whole study id
   * @param silentDays for how many days nothing was heard from them
   * @param fields values of the study's own fields, by name
   */
  public record Wanted(
      @Nullable String q,
      @Nullable String participation,
      @Nullable String status,
      @Nullable String flow,
      @Nullable String subState,
      @Nullable String optedOut,
      @Nullable String consent,
      @Nullable String studyId,
      @Nullable String language,
      @Nullable String channel,
      @Nullable String tag,
      @Nullable String silentDays,
      Map<String, String> fields) {

    static final Wanted ANYBODY = of(Map.of());

    /** Returns the filters among the parameters of an address or a form; others are ignored. */
    public static Wanted of(Map<String, String> parameters) {
      return new Wanted(
          parameters.get("q"),
          parameters.get("participation"),
          parameters.get("status"),
          parameters.get("flow"),
          parameters.get("sub_state"),
          parameters.get("opted_out"),
          parameters.get("consent"),
          parameters.get("study_id"),
          parameters.get("language"),
          parameters.get("channel"),
          parameters.get("tag"),
          parameters.get("silent_days"),
          CustomFields.in(parameters));
    }

    /** Returns the parameters of these filters that are set, in a fixed order. */
    public Map<String, String> parameters() {
      var set = new LinkedHashMap<String, String>();
      put(set, "q", q);
      put(set, "participation", participation);
      put(set, "status", status);
      put(set, "flow", flow);
      put(set, "sub_state", subState);
      put(set, "opted_out", optedOut);
      put(set, "consent", consent);
      put(set, "study_id", studyId);
      put(set, "language", language);
      put(set, "channel", channel);
      put(set, "tag", tag);
      put(set, "silent_days", silentDays);
      new TreeMap<>(fields).forEach((name, value) -> put(set, CustomFields.parameter(name), value));
      return set;
    }

    private static void put(Map<String, String> set, String name, @Nullable String value) {
      var said = given(value);
      if (said != null) {
        set.put(name, said);
      }
    }
  }

  /**
   * Participants found.
   *
   * @param participation how each of them takes part, by id
   * @param next where the next page begins, or {@code null} after the last
   */
  public record Found(
      List<Participant> participants,
      Map<String, Participation> participation,
      @Nullable String next) {}

  /**
   * Returns a page of matching participants. In the order of enrolment, who enrols meanwhile shifts
   * no page; in another order, someone whose value changes may be missed or appear twice.
   *
   * @param sort {@code null} or blank for newest first; see {@link #order}
   * @param cursor {@link Found#next} of the page before, or {@code null} or blank for the first
   * @throws ApiProblem 400 for a filter, an order or a cursor that is not accepted
   */
  Found find(Wanted wanted, @Nullable String sort, @Nullable String cursor, int most) {
    var sought = sought(wanted);
    var order = order(sort);
    var byEnrolment = order.key() == JdbcPeople.SortKey.ENROLLED;
    var place = given(cursor) == null ? null : Paging.before(cursor);
    var skipped = byEnrolment || place == null ? 0 : place;
    if (skipped < 0 || skipped > MOST_SKIPPED) {
      throw Paging.badCursor();
    }
    return transactions.read(() -> {
      var found = rows.find(sought, order, byEnrolment ? place : null, skipped, most + 1);
      var page = found.subList(0, Math.min(most, found.size()));
      var more = found.size() > most;
      return found(
          page.stream().map(JdbcPeople.Found::id).toList(),
          page,
          more ? String.valueOf(byEnrolment ? page.getLast().seq() : skipped + most) : null);
    });
  }

  /**
   * Returns the participants with these ids in the order of the ids, without those who do not exist
   * or are being erased.
   *
   * @param ids a few hundred at most, each once
   */
  public Found these(List<String> ids) {
    return transactions.read(
        () -> found(ids, ids.isEmpty() ? List.of() : rows.these(counted(), ids), null));
  }

  private Found found(List<String> inOrder, List<JdbcPeople.Found> rows, @Nullable String next) {
    var byId =
        participants.these(inOrder).stream()
            .collect(Collectors.toMap(Participant::id, Function.identity()));
    return new Found(
        inOrder.stream().flatMap(id -> Stream.ofNullable(byId.get(id))).toList(),
        rows.stream()
            .collect(Collectors.toMap(JdbcPeople.Found::id, JdbcPeople.Found::participation)),
        next);
  }

  /** Returns the version of the consent text that counts, or an empty text if nobody is asked. */
  private String counted() {
    return consents.version().orElse("");
  }

  /**
   * Returns the ids of matching participants, last enrolled first.
   *
   * @param most how many to return at most; never more than {@value #MOST_IDS}
   * @throws ApiProblem 400 for a filter that is not accepted
   */
  public List<String> ids(Wanted wanted, int most) {
    var sought = sought(wanted);
    return transactions.read(() ->
        rows.find(sought, JdbcPeople.Order.NEWEST_FIRST, null, 0, Math.min(most, MOST_IDS)).stream()
            .map(JdbcPeople.Found::id)
            .toList());
  }

  /**
   * Returns how many participants take part in each way, among those whom the other filters match.
   *
   * @throws ApiProblem 400 for a filter that is not accepted
   */
  Map<Participation, Long> counts(Wanted wanted) {
    var sought = sought(wanted).inAnyWay();
    return transactions.read(() -> rows.count(sought));
  }

  /**
   * Returns how many participants all filters match, from the counts of {@link #counts}: each
   * status but active is one way of taking part.
   */
  static long total(Wanted wanted, Map<Participation, Long> counts) {
    var way = participation(wanted.participation());
    var status = status(wanted.status());
    return counts.entrySet().stream()
        .filter(it -> way == null || way == it.getKey())
        .filter(it -> status == null || status.equals(it.getKey().status().word()))
        .mapToLong(Map.Entry::getValue)
        .sum();
  }

  /**
   * Checks filters and an order.
   *
   * @throws ApiProblem 400 for one that is not accepted
   */
  void check(Wanted wanted, @Nullable String sort) {
    var _ = sought(wanted);
    var _ = order(sort);
  }

  /** Returns what is computed of these participants, by id. */
  Map<String, JdbcPeople.Figures> figures(List<Participant> page) {
    var ids = page.stream().map(Participant::id).toList();
    return transactions.read(() -> rows.figures(ids));
  }

  /** Returns the habit lines of these participants, by id, each with today in their time zone. */
  public Map<String, HabitLine> habitLines(List<Participant> page, Instant now) {
    var ids = page.stream().map(Participant::id).toList();
    // The earliest date that anybody on earth has now.
    var earliest = HabitLine.first(LocalDate.ofInstant(now, ZoneOffset.UTC).minusDays(1));
    var sent = transactions.read(() -> rows.prompts(ids, earliest));
    return page.stream()
        .collect(
            Collectors.toMap(
                Participant::id,
                one ->
                    HabitLine.of(
                        sent.getOrDefault(one.id(), List.of()),
                        LocalDate.ofInstant(now, one.zone()))));
  }

  /**
   * Returns an order by its word, such as {@code name}, or {@code -name} for descending.
   *
   * @param sort {@code null} or blank for {@code -enrolled}
   * @throws ApiProblem 400 for any other
   */
  static JdbcPeople.Order order(@Nullable String sort) {
    var wanted = given(sort);
    if (wanted == null) {
      return JdbcPeople.Order.NEWEST_FIRST;
    }
    var descending = wanted.startsWith("-");
    var word = oneOf("sort", wanted.replaceFirst("^-", ""), SORTS);
    return new JdbcPeople.Order(
        JdbcPeople.SortKey.valueOf(word.toUpperCase(Locale.ROOT)), descending);
  }

  private JdbcPeople.Sought sought(Wanted wanted) {
    return new JdbcPeople.Sought(
        counted(),
        participation(wanted.participation()),
        status(wanted.status()),
        flow(wanted.flow()),
        optedOut(wanted.optedOut()),
        consent(wanted.consent()),
        EnrolmentDesk.text("study_id", wanted.studyId(), LONGEST, false),
        subState(wanted.subState()),
        language(wanted.language()),
        channel(wanted.channel()),
        tag(wanted.tag()),
        silentSince(wanted.silentDays()),
        fields(wanted.fields()),
        words(wanted.q()));
  }

  @Override
  public List<String> ids(Authentication by, @Nullable String words, int most) {
    var said = given(words);
    if (said == null) {
      return List.of();
    }
    if (asksForNumber(by, said)) {
      reads.numberLookedUp(by);
    }
    return find(Wanted.of(Map.of("q", said)), null, null, most).participants().stream()
        .map(Participant::id)
        .toList();
  }

  /**
   * Returns whether the search words may be a phone number or its last digits.
   *
   * @throws ApiProblem 403 if they are more digits than the caller may see: by trying, one could
   *     find the rest
   */
  public boolean asksForNumber(Authentication by, @Nullable String q) {
    var said = given(q);
    if (said == null || (digits(said).isEmpty() && phone(said).isEmpty())) {
      return false;
    }
    // A number may be written with the digits of any script.
    var digits = said.codePoints().filter(Character::isDigit).count();
    if (!Actor.seesNumbers(by) && (digits > SHOWN_DIGITS || phone(said).isPresent())) {
      throw new ApiProblem(
          HttpStatus.FORBIDDEN,
          "Viewers can search for the last four digits of a phone number, not for more.");
    }
    return true;
  }

  /** Returns the modules of all flows, each once. */
  List<String> subStates() {
    return flows.all().stream()
        .flatMap(flow -> flow.modules().keySet().stream())
        .distinct()
        .toList();
  }

  private static @Nullable String given(@Nullable String said) {
    return said == null || said.isBlank() ? null : said.strip();
  }

  private JdbcPeople.@Nullable Language language(@Nullable String said) {
    var wanted = given(said);
    return wanted == null
        ? null
        : new JdbcPeople.Language(
            oneOf("language", wanted.toLowerCase(Locale.ROOT), languages()),
            flows.all().stream()
                .filter(flow -> flow.languages().standard().equalsIgnoreCase(wanted))
                .map(Flow::id)
                .toList());
  }

  private static @Nullable String channel(@Nullable String said) {
    var words = Arrays.stream(ChannelKind.values()).map(ChannelKind::word).toList();
    var wanted = given(said);
    return wanted == null ? null : oneOf("channel", wanted.toLowerCase(Locale.ROOT), words);
  }

  private static @Nullable String tag(@Nullable String said) {
    var wanted = given(said);
    return wanted == null ? null : TagDesk.read(wanted);
  }

  private @Nullable Instant silentSince(@Nullable String said) {
    var wanted = given(said);
    if (wanted == null) {
      return null;
    }
    var days = wanted.matches("[0-9]{1,4}") ? Integer.parseInt(wanted) : 0;
    if (days < 1 || days > MOST_SILENT_DAYS) {
      throw ApiProblem.bad(
          "silent_days: expected a whole number from 1 to " + MOST_SILENT_DAYS + ".");
    }
    return clock.instant().minus(Duration.ofDays(days));
  }

  private Map<String, String> fields(Map<String, String> said) {
    var wanted = new TreeMap<String, String>();
    said.forEach((name, value) -> {
      var text = EnrolmentDesk.text(CustomFields.parameter(name), value, StudyField.LONGEST, false);
      if (text != null) {
        if (fields.find(name).isEmpty()) {
          throw fields.unknown();
        }
        wanted.put(name, text.toLowerCase(Locale.ROOT));
      }
    });
    return wanted;
  }

  /** Returns the languages of all flows, each once. */
  List<String> languages() {
    return flows.all().stream()
        .flatMap(flow -> flow.languages().all().stream())
        .distinct()
        .sorted()
        .toList();
  }

  private static @Nullable Participation participation(@Nullable String said) {
    var words = Arrays.stream(Participation.values()).map(Participation::word).toList();
    var wanted = given(said);
    return wanted == null
        ? null
        : Participation.of(oneOf("participation", wanted.toLowerCase(Locale.ROOT), words));
  }

  private static @Nullable String status(@Nullable String said) {
    var words = Arrays.stream(ParticipantStatus.values()).map(ParticipantStatus::word).toList();
    var wanted = given(said);
    if (wanted == null) {
      return null;
    }
    var word = wanted.toLowerCase(Locale.ROOT);
    if (!words.contains(word)) {
      var others =
          Arrays.stream(Participation.values())
              .map(Participation::word)
              .filter(it -> !words.contains(it))
              .collect(Collectors.joining(", "));
      throw ApiProblem.bad(
          "status: unknown; expected one of "
              + String.join(", ", words)
              + ". The parameter participation also accepts "
              + others
              + ".");
    }
    return word;
  }

  private static @Nullable String consent(@Nullable String said) {
    var words = Arrays.stream(ConsentState.values()).map(ConsentState::word).toList();
    var wanted = given(said);
    return wanted == null ? null : oneOf("consent", wanted.toLowerCase(Locale.ROOT), words);
  }

  private @Nullable String flow(@Nullable String said) {
    var wanted = given(said);
    return wanted == null
        ? null
        : oneOf("flow", wanted, flows.all().stream().map(Flow::id).toList());
  }

  private static @Nullable Boolean optedOut(@Nullable String said) {
    var wanted = given(said);
    return wanted == null
        ? null
        : Boolean.valueOf(oneOf("opted_out", wanted, List.of("true", "false")));
  }

  private JdbcPeople.@Nullable SubState subState(@Nullable String said) {
    var wanted = given(said);
    return wanted == null
        ? null
        : new JdbcPeople.SubState(
            oneOf("sub_state", wanted, subStates()),
            flows.all().stream()
                .map(flow ->
                    new JdbcPeople.SubState.OfFlow(
                        flow.id(), List.copyOf(flow.modules().keySet()), flow.initialState()))
                .toList());
  }

  private static String oneOf(String parameter, String said, List<String> accepted) {
    if (!accepted.contains(said)) {
      throw ApiProblem.bad(
          parameter
              + ": unknown; expected one of "
              + accepted.stream().collect(Collectors.joining(", "))
              + ".");
    }
    return said;
  }

  private JdbcPeople.@Nullable Words words(@Nullable String said) {
    var text = EnrolmentDesk.text("q", said, LONGEST);
    return text == null
        ? null
        : new JdbcPeople.Words(text, phone(text).orElse(null), digits(text).orElse(null));
  }

  private Optional<String> phone(String text) {
    try {
      return Optional.of(phoneNumbers.read(text).number().e164());
    } catch (UnreadablePhoneNumber e) {
      return Optional.empty();
    }
  }

  private static Optional<String> digits(String text) {
    return DIGITS.matcher(text).matches()
        ? Optional.of(text.replaceAll("[^0-9]", ""))
        : Optional.empty();
  }
}
