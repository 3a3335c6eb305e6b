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
@Secured("staff")
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
          Each has an id; a client that comes back with Last-Event-ID hears first what it missed, up to a day. Any node \
          tells everything. Comments in between say that the line is there.

          * message.created {kind}: something came in and waits for its turn; kind is said, woke or enrolled.
          * turn.started {turn}; turn.completed {turn, kind}; turn.failed {turn}: the flow's own text went out; \
          turn.braked {turn}, besides turn.completed: the same text came again and again, and is not answered.
          * message.completed {message_ids, turn, try}: the line said these messages of the transcript; without turn \
          if no turn did.
          * delivery.updated {id, status, channel, code}: what became of a text on its way out.
          * participant.changed {what}: staff wrote, muted the coach, handed back or forced a module.
          * sending.changed {stopped}: all sending was stopped, or resumed.

          While somebody watches one participant, by a stream with participant= or in the web chat, the turns that \
          begin then also tell what is said while it is being said. message.delta and tool_call.* hold parts of the \
          conversation, so only a stream with participant= gets them, and the audit log records that it was read:

          * message.delta {turn, try, place, text}: more of the reply; place is the number of characters (UTF-16) \
          before it since the last reset. What came since the last reset is, at message.completed, all that the turn \
          says; several messages have an empty line between them.
          * message.reset {turn, try}: what came before is taken back: it stood beside a tool call, the model was \
          asked again, or the turn begins anew after a crash. A higher try takes everything of a lower one back, too.
          * tool_call.started {turn, try, iteration, id, name, source, arguments}, tool_call.completed {…, result}: \
          written with the journal of the turn, so a call is told as completed with the next step. Arguments and \
          results longer than 10,000 characters are cut, to a text.

          Events are kept for a day and go when their participant is erased.\
          """)
  @ApiResponse(
      responseCode = "200",
      description =
          "The stream; it ends after five minutes or when the line stops, to be asked for again")
  @ApiResponse(responseCode = "400", description = "A Last-Event-ID that is no id")
  @ApiResponse(responseCode = "404", description = "There is no such participant")
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
