package org.habitline.staff.live;

import com.fasterxml.jackson.annotation.JsonRawValue;
import io.micronaut.context.event.ShutdownEvent;
import io.micronaut.core.annotation.Introspected;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Header;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.http.sse.Event;
import io.micronaut.runtime.event.annotation.EventListener;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import org.habitline.audit.Events;
import org.habitline.staff.people.EnrolmentDesk;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.Passes;
import org.habitline.staff.web.ReadLog;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;

/** Streams events as they happen. */
@Controller("/events")
@Secured("viewer")
@Tag(name = "Events")
final class EventsController {

  /** Most unread events; a slower client is disconnected and may resume. */
  private static final int UNREAD_AT_MOST = 1000;

  /** Longest stream. The client then reconnects, and one that has lost its access is refused. */
  private static final Duration STREAM_AT_MOST = Duration.ofMinutes(5);

  private final LiveEvents live;
  private final EnrolmentDesk desk;
  private final ReadLog reads;

  EventsController(LiveEvents live, EnrolmentDesk desk, ReadLog reads) {
    this.reads = reads;
    this.live = live;
    this.desk = desk;
  }

  /**
   * The data of one event.
   *
   * @param payload ids of what it is about; only message.delta and tool_call.* contain texts
   */
  @Introspected
  record Happened(
      String type, Instant at, @Nullable String participantId, @JsonRawValue String payload) {}

  @Get(produces = MediaType.TEXT_EVENT_STREAM)
  @Operation(
      operationId = "streamEvents",
      summary = "Streams events as server-sent events",
      description =
          """
          Every event has an id. A client that reconnects with Last-Event-ID first gets the events that it missed, up to \
          a day, on any node. Comments between events keep the connection open.

          * message.received {kind}: an input came in and waits for its turn; kind is said, woke, enrolled or asked.
          * turn.started {turn}; turn.completed {turn, kind}; turn.failed {turn}: the flow's fallback message was sent \
          instead of the model's reply; turn.braked {turn}, in addition to turn.completed: the same text came again and \
          again, and gets no reply.
          * message.created {turn, try}: a turn begins a message to the participant. message.completed {message_ids, \
          turn, try}: these messages were added to the transcript; without turn, and without message.created before it, \
          if no turn wrote them. What a turn sends comes in the order created, delta, completed.
          * delivery.updated {id, status, channel, code}: the status of an outgoing message changed.
          * participant.changed {what}: staff wrote a message, took over, handed back or changed the \
          module, or a tool call over the Model Context Protocol changed a record.
          * incident.changed {incident_id}: a safety incident opened, got another text, or was changed by staff.
          * budget.reached {kind, percent}: a participant, or without one the study, used 80 or 100 % of today's budget \
          of tokens, cost or segments; once a day for each.
          * flag.changed {flag_id}: the coach flagged something for staff, or somebody closed the flag.
          * sending.changed {stopped}: all sending was stopped or resumed.

          While someone watches a participant, through a stream with participant=, an open page or the web chat, the \
          turns that begin also report the reply while it is being written. message.delta and tool_call.* contain parts \
          of the conversation. Only a stream with participant= gets them, and the audit log records that the \
          conversation was read:

          * message.delta {turn, try, place, text}: the next part of the reply; place is the number of characters \
          (UTF-16) since the last reset. At message.completed, the parts since the last reset are the whole reply; \
          several messages are separated by an empty line.
          * message.reset {turn, try}: discard the parts so far, because they came with a tool call, the model was asked \
          again, or the turn started again after a crash. A higher try also replaces everything of a lower one.
          * tool_call.started {turn, try, iteration, id, name, source, arguments}, tool_call.completed {…, result}: a \
          call is reported as started before it runs, and as completed with the turn's next step. source is local for a \
          tool of Habitline. Arguments and results longer than 10,000 characters \
          are shortened and sent as a text.

          Events are deleted after a day, and at once when their participant is erased.\
          """)
  @ApiResponse(
      responseCode = "200",
      description =
          "The stream; it ends after five minutes or when the service stops, and the client"
              + " connects again")
  @ApiResponse(responseCode = "400", description = "The Last-Event-ID is not the id of an event")
  @ApiResponse(responseCode = "404", description = "No participant has this id")
  Publisher<Event<?>> events(
      Authentication by,
      @Header("Last-Event-ID") @Nullable String lastEventId,
      @QueryValue @Nullable String participant) {
    var last = since(lastEventId);
    var only = participant == null ? null : desk.participant(participant).id();
    if (only != null) {
      reads.conversation(by, only);
    }
    var now = only == null ? null : live.announce(only);
    var since = last == null ? now : new Events.Place(last, Set.of());
    var pass = String.valueOf(by.getAttributes().get(Passes.PASS));
    return Flux.<Event<?>>create(
            sink -> live.watch(new Stream(sink, since, only, pass)),
            FluxSink.OverflowStrategy.IGNORE)
        .onBackpressureBuffer(UNREAD_AT_MOST)
        .take(STREAM_AT_MOST);
  }

  private static @Nullable Long since(@Nullable String lastEventId) {
    if (lastEventId == null || lastEventId.isBlank()) {
      return null;
    }
    try {
      return Long.parseLong(lastEventId.strip());
    } catch (NumberFormatException e) {
      throw ApiProblem.bad("Last-Event-ID: expected the id of an event of this stream.");
    }
  }

  /** Ends the streams before the server waits for its connections. */
  @EventListener
  void close(ShutdownEvent event) {
    live.close();
  }

  /** One client of the event stream. */
  private record Stream(
      FluxSink<Event<?>> sink,
      Events.@Nullable Place since,
      @Nullable String participant,
      String pass)
      implements LiveEvents.Watcher {

    @Override
    public void tell(org.habitline.audit.Event event) {
      if (isTold(event)) {
        sink.next(
            Event.of(new Happened(event.type(), event.at(), event.participantId(), event.payload()))
                .id(String.valueOf(event.seq()))
                .name(event.type()));
      }
    }

    /**
     * Returns whether the client gets the event. Events that quote a conversation go only to a
     * client that named the participant, because that read is in the audit log. Events about no
     * participant go to all.
     */
    private boolean isTold(org.habitline.audit.Event event) {
      return participant == null
          ? !event.quotes()
          : event.participantId() == null || event.participantId().equals(participant);
    }

    @Override
    public void alive() {
      sink.next(Event.of("").comment("here"));
    }

    @Override
    public void shutOut() {
      end();
    }

    @Override
    public void end() {
      sink.complete();
    }

    @Override
    public boolean gone() {
      return sink.isCancelled();
    }
  }
}
