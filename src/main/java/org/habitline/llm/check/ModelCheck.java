package org.habitline.llm.check;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.habitline.llm.ChatServer;
import org.habitline.llm.ChatServer.Attempt;
import org.habitline.llm.ModelFailure;
import org.habitline.llm.ModelQuirk;
import org.habitline.llm.Patience;

/**
 * Plays every {@link Exchange} with a model and reports the outcome. Asks for one short reply
 * first; if there is none, nothing else is asked. The texts sent are made up. Blocks until the last
 * exchange has ended, at most about 13 times the deadline of a turn. Not thread-safe.
 */
public final class ModelCheck {

  private final ChatServer server;
  private final Patience patience;
  private final Duration turn;
  private final LongSupplier nanoTime;

  /**
   * @param patience the model to check; its fallback model is not asked
   * @param turn {@code TURN_DEADLINE}: the time limit of one exchange's request with its retries
   * @param nanoTime the monotonic clock by which the first piece of a stream is timed
   */
  public ModelCheck(ChatServer server, Patience patience, Duration turn, LongSupplier nanoTime) {
    this.server = server;
    this.patience =
        new Patience(
            patience.model(),
            Optional.empty(),
            patience.attemptTimeout(),
            patience.firstPause(),
            patience.longestPause());
    this.turn = turn;
    this.nanoTime = nanoTime;
  }

  /** What came of a check. */
  public sealed interface Outcome {

    /** Every exchange was played. */
    record Played(CheckReport report) implements Outcome {}

    /**
     * The server gave no reply to the first request, so no exchange was played.
     *
     * @param sentence one or more sentences for an operator: what happened and what to change
     */
    record NoReply(String sentence) implements Outcome {}
  }

  public Outcome play() {
    var greeting = Requests.plain("You are a friendly coach.", "Say hello in one word.");
    return switch (server.ask(greeting, patience.model(), patience.attemptTimeout())) {
      case Attempt.Answered answered -> new Outcome.Played(report());
      case Attempt.Unanswered unanswered -> new Outcome.NoReply(sentence(unanswered));
      case Attempt.Interrupted interrupted ->
          new Outcome.NoReply("The wait for the model was interrupted.");
    };
  }

  private CheckReport report() {
    var results = new ArrayList<CheckReport.Result>();
    var unreliable = new ArrayList<String>();
    var quirks = EnumSet.noneOf(ModelQuirk.class);
    var callsInText = false;
    for (var exchange : Exchange.values()) {
      var talk = new Talk(server, patience, turn, nanoTime);
      var finding = exchange.play(talk);
      var adapted = talk.callsInText() || !talk.quirks().isEmpty();
      results.add(
          new CheckReport.Result(
              exchange.code(),
              exchange.title(),
              finding.verdict() == Verdict.WORKS && adapted ? Verdict.ADAPTED : finding.verdict(),
              exchange.consequence(finding)));
      if (finding.verdict() == Verdict.DOES_NOT_WORK) {
        unreliable.add(exchange.unreliable());
      }
      quirks.addAll(talk.quirks());
      callsInText |= talk.callsInText();
    }
    quirks.stream().flatMap(quirk -> lost(quirk).stream()).forEach(unreliable::add);
    return new CheckReport(
        patience.model(), server.address(), results, adapted(quirks, callsInText), unreliable);
  }

  private static List<String> adapted(Set<ModelQuirk> quirks, boolean callsInText) {
    var lines = new ArrayList<String>();
    for (var quirk : quirks) {
      lines.add(quirk.word() + ": " + quirk.meaning().replace("`", ""));
    }
    if (callsInText) {
      lines.add("Habitline reads tool calls from the text of replies");
    }
    return lines;
  }

  /** Returns what a flow sets in vain because of a quirk, or empty if nothing is lost. */
  private static Optional<String> lost(ModelQuirk quirk) {
    return switch (quirk) {
      case NO_PARALLEL_TOOL_CALLS ->
          Optional.of("parallel_tool_calls in the flow; the server decides");
      case NO_TEMPERATURE -> Optional.of("temperature in the flow; the server uses its own");
      case NO_MAX_TOKENS,
          NO_MAX_COMPLETION_TOKENS,
          NO_TOOL_CHOICE,
          TOOLS_ALWAYS,
          ALTERNATING_ROLES,
          NO_STREAMING,
          NO_STREAM_OPTIONS ->
          Optional.empty();
    };
  }

  private String sentence(Attempt.Unanswered unanswered) {
    var reason = ModelFailure.explained(unanswered.reason(), unanswered.failure());
    return Character.toUpperCase(reason.charAt(0))
        + reason.substring(1)
        + ". "
        + switch (unanswered.failure()) {
          case TOO_LATE ->
              "Check that this machine can reach OPENAI_BASE_URL; for a slow model, raise"
                  + " MODEL_ATTEMPT_TIMEOUT ("
                  + patience.attemptTimeout().toSeconds()
                  + " s).";
          case OTHER ->
              "Check that OPENAI_BASE_URL is the address of a Chat Completions API (it usually ends"
                  + " in /v1), and that the server has the model '"
                  + patience.model()
                  + "'.";
          default -> unanswered.failure().remedy().orElse("");
        };
  }
}
