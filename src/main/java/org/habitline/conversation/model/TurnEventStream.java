package org.habitline.conversation.model;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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
 * What those who watch a participant hear of one turn while it runs, as events. If nobody watches,
 * nothing is written but, with the commit, which messages were said. What was heard since the last
 * reset is the beginning of what the turn says, and all of it once the commit is told. Whatever
 * goes wrong here is no matter of the turn. Used by the turn's own thread only.
 */
public final class TurnEventStream implements TextListener {

  private static final Logger log = LoggerFactory.getLogger(TurnEventStream.class);

  private static final Duration AT_MOST_EVERY = Duration.ofMillis(100);

  /** Of one event: whatever the characters are, they fit into its payload. */
  private static final int LONGEST_PIECE = 4000;

  private static final int LONGEST_TOLD = 10_000;

  private static final int LONGEST_NAME = 200;

  /** What a text that turns out to be data begins with: it is told when it proves to be none. */
  private static final String DATA = "{[`";

  /** Stands between the texts of a turn that says several. */
  private static final String BETWEEN = "\n\n";

  private static final String LOCAL = "local";

  private final Claim claim;
  private final Events events;
  private final Leases leases;
  private final Transactions transactions;
  private final StringBuilder said = new StringBuilder();
  private String told = "";
  private Deadline pause = Deadline.in(Duration.ZERO);

  /** Whether nobody can say any more what was heard. */
  private boolean lost;

  TurnEventStream(Claim claim, Events events, Leases leases, Transactions transactions) {
    this.claim = claim;
    this.events = events;
    this.leases = leases;
    this.transactions = transactions;
  }

  /** A message of the line, as the transcript has it. */
  public record Spoken(String messageId, String text) {}

  /** Whether anybody wants to hear the text as it arrives. */
  boolean isHeard() {
    return claim.state().watched() && !lost;
  }

  /** An earlier try may have been heard: what it said does not count. */
  void startOver() {
    if (isHeard()) {
      tell(this::emitReset);
    }
  }

  @Override
  public void text(String piece) {
    said.append(piece);
    if (isHeard() && pause.passed()) {
      pause = Deadline.in(AT_MOST_EVERY);
      var words = PlainText.storable(said.toString()).strip();
      if (!words.isEmpty()
          && DATA.indexOf(words.charAt(0)) < 0
          && words.length() <= ToolLoop.LONGEST_REPLY
          && words.length() > told.length()
          && words.startsWith(told)) {
        tell(() -> emitText(told.length(), words));
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

  /** In a transaction of its own, which no connection waits for; never after the lease is lost. */
  private void tell(Runnable what) {
    try {
      transactions.write(() -> {
        leases.confirm(claim.lease());
        what.run();
      });
    } catch (RuntimeException e) {
      lost = true;
      log.warn(
          "turn {} of {} goes on unheard: {}",
          claim.turn(),
          claim.participant().id(),
          e.getClass().getName());
    }
  }

  /** Writes what is told in here with one statement, if anything is. */
  void together(Runnable act) {
    events.together(act);
  }

  /** The calls of an iteration are about to run; joins the running transaction. */
  void started(Iteration iteration) {
    if (claim.state().watched() && iteration.completedAt() == null) {
      for (var call : iteration.toolCalls()) {
        var payload = about(iteration, call);
        payload.put("arguments", bounded(call.arguments()));
        emit("tool_call.started", payload);
      }
    }
  }

  /** The calls of an iteration have their results; joins the running transaction. */
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
    payload.put("source", LOCAL);
    return payload;
  }

  /** What the model calls it may be of any length. */
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

  /** The turn commits with these messages; joins its transaction, which may be tried again. */
  public void said(List<Spoken> messages) {
    if (claim.state().watched()) {
      completeText(messages.stream().map(Spoken::text).collect(Collectors.joining(BETWEEN)));
    }
    if (!messages.isEmpty()) {
      var payload = ofTheTurn();
      payload.put("message_ids", messages.stream().map(Spoken::messageId).toList());
      emit("message.completed", payload);
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
