package org.habitline.conversation.model;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.habitline.audit.Events;
import org.habitline.conversation.stored.CallRecord;
import org.habitline.conversation.stored.Claim;
import org.habitline.conversation.stored.Iteration;
import org.habitline.conversation.stored.TurnJson;
import org.habitline.llm.Deadline;
import org.habitline.llm.TextListener;
import org.habitline.messaging.Leases;
import org.habitline.messaging.inbox.PlainText;
import org.habitline.storage.Transactions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes one running turn as events for staff who watch the participant. If no one is watching,
 * only the ids of its messages are published, with the commit. What a turn sends is published in
 * this order: created, the text, completed. The text since the last reset is the beginning of the
 * turn's messages, and all of them once the commit is published. Failures here do not affect the
 * turn. Used by the turn's own thread only.
 */
public final class TurnEventStream implements TextListener {

  private static final Logger log = LoggerFactory.getLogger(TurnEventStream.class);

  private static final Duration AT_MOST_EVERY = Duration.ofMillis(100);

  /**
   * Longest text of one event, in characters; it fits into the payload whatever the characters are.
   */
  private static final int LONGEST_PIECE = 4000;

  private static final int LONGEST_TOLD = 10_000;

  private static final int LONGEST_NAME = 200;

  /**
   * First characters of a text that may turn out to be data; such a text is published only with the
   * commit.
   */
  private static final String DATA = "{[`";

  /** Separates the messages of a turn that sends several. */
  private static final String BETWEEN = "\n\n";

  private final Claim claim;
  private final Events events;
  private final Leases leases;
  private final Transactions transactions;
  private final StringBuilder said = new StringBuilder();
  private String told = "";
  private Deadline pause = Deadline.in(Duration.ZERO);

  /** Whether the text may be published before the commit. */
  private BooleanSupplier released = () -> true;

  /** Whether watchers were told that the turn's first message begins. */
  private boolean begun;

  /** Whether text waits for the verdict of the gates, and is published only with the commit. */
  private boolean held;

  /** Whether an event failed, so that it is unknown what watchers received. */
  private boolean lost;

  TurnEventStream(Claim claim, Events events, Leases leases, Transactions transactions) {
    this.claim = claim;
    this.events = events;
    this.leases = leases;
    this.transactions = transactions;
  }

  /** A message that the turn sent, as the transcript has it. */
  public record Spoken(String messageId, String text) {}

  /** Returns whether the text is published as it arrives. */
  boolean isHeard() {
    return claim.state().watched() && !lost;
  }

  /**
   * Holds the text back until it may be heard; what was held is published with the next piece, or
   * with the commit.
   */
  public void holdUntil(BooleanSupplier mayBeHeard) {
    released = mayBeHeard;
  }

  /** Publishes no text before the commit. */
  void hold() {
    held = true;
  }

  /** Discards what an earlier attempt of this turn may have published. */
  void startOver() {
    if (isHeard()) {
      tell(this::emitReset);
    }
  }

  @Override
  public void text(String piece) {
    said.append(piece);
    if (isHeard() && !held && pause.passed() && released.getAsBoolean()) {
      pause = Deadline.in(AT_MOST_EVERY);
      var words = PlainText.storable(said.toString()).strip();
      if (!words.isEmpty()
          && DATA.indexOf(words.charAt(0)) < 0
          && words.length() <= ToolLoop.LONGEST_REPLY
          && words.length() > told.length()
          && words.startsWith(told)) {
        tell(() -> {
          begin();
          emitText(told.length(), words);
        });
        begun |= !lost;
        told = words;
      }
    }
  }

  @Override
  public void reset() {
    said.setLength(0);
    if (isHeard() && !told.isEmpty()) {
      tell(this::emitReset);
      told = "";
    }
  }

  /**
   * Publishes in a transaction of its own, and only while the lease is held. A failure ends
   * publishing, not the turn.
   */
  private void tell(Runnable what) {
    try {
      transactions.write(() -> {
        leases.confirm(claim.lease());
        what.run();
      });
    } catch (RuntimeException e) {
      lost = true;
      log.warn(
          "turn {} of {} continues without live events: {}",
          claim.turn(),
          claim.participant().id(),
          e.getClass().getName());
    }
  }

  /** Runs an act and writes the events it publishes with one statement. */
  void together(Runnable act) {
    events.together(act);
  }

  /** Publishes that the calls of an iteration are about to run; joins the running transaction. */
  void started(Iteration iteration) {
    if (claim.state().watched() && iteration.completedAt() == null) {
      for (var call : iteration.toolCalls()) {
        var payload = about(iteration, call);
        payload.put("arguments", bounded(call.arguments()));
        emit("tool_call.started", payload);
      }
    }
  }

  /** Publishes the results of an iteration's calls; joins the running transaction. */
  void completed(Iteration iteration) {
    if (claim.state().watched()) {
      for (var call : iteration.toolCalls()) {
        var payload = about(iteration, call);
        payload.put("result", bounded(call.result() == null ? "" : call.result()));
        emit("tool_call.completed", payload);
      }
    }
  }

  private Map<String, Object> about(Iteration iteration, CallRecord call) {
    var payload = ofTheTurn();
    payload.put("iteration", iteration.number());
    payload.put("id", cut(call.id()));
    payload.put("name", cut(call.name()));
    payload.put("source", call.shownSource());
    return payload;
  }

  /** Shortens an id or name chosen by the model, which may be of any length. */
  private static String cut(String name) {
    var text = PlainText.storable(name);
    return PlainText.storable(text.substring(0, Math.min(text.length(), LONGEST_NAME)));
  }

  private static Object bounded(String json) {
    var text = PlainText.storable(json);
    return text.length() <= LONGEST_TOLD
        ? TurnJson.treeOrText(text)
        : text.substring(0, LONGEST_TOLD) + "…";
  }

  /**
   * Publishes the turn's messages: that the first begins, if that was not published yet, the rest
   * of their text for those who watch, and their ids. Joins the transaction that commits the turn,
   * which may be retried.
   */
  public void said(List<Spoken> messages) {
    if (!messages.isEmpty()) {
      begin();
    }
    if (claim.state().watched()) {
      completeText(messages.stream().map(Spoken::text).collect(Collectors.joining(BETWEEN)));
    }
    if (!messages.isEmpty()) {
      var payload = ofTheTurn();
      payload.put("message_ids", messages.stream().map(Spoken::messageId).toList());
      emit("message.completed", payload);
    }
  }

  private void begin() {
    if (!begun) {
      emit(Events.CREATED, ofTheTurn());
    }
  }

  private void completeText(String whole) {
    if (!lost && whole.startsWith(told)) {
      emitText(told.length(), whole);
    } else {
      emitReset();
      emitText(0, whole);
    }
  }

  private void emitText(int from, String whole) {
    var place = from;
    while (place < whole.length()) {
      var end = Math.min(whole.length(), place + LONGEST_PIECE);
      if (end < whole.length() && Character.isHighSurrogate(whole.charAt(end - 1))) {
        end--;
      }
      var payload = ofTheTurn();
      payload.put("place", place);
      payload.put("text", whole.substring(place, end));
      emit("message.delta", payload);
      place = end;
    }
  }

  private void emitReset() {
    emit("message.reset", ofTheTurn());
  }

  private Map<String, Object> ofTheTurn() {
    var payload = new TreeMap<String, Object>();
    payload.put("turn", claim.turn());
    payload.put("try", claim.lease().token());
    return payload;
  }

  private void emit(String type, Map<String, Object> payload) {
    events.emit(type, claim.participant().id(), payload);
  }
}
