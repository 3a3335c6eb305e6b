package org.habitline.conversation.model;

import com.fasterxml.jackson.core.type.TypeReference;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.habitline.budgets.UsedUp;
import org.habitline.conversation.stored.Asked;
import org.habitline.conversation.stored.CallRecord;
import org.habitline.conversation.stored.Claim;
import org.habitline.conversation.stored.Iteration;
import org.habitline.conversation.stored.JdbcIterations;
import org.habitline.conversation.stored.StoredRequests;
import org.habitline.conversation.stored.TurnJson;
import org.habitline.llm.ModelMessage;
import org.habitline.llm.ModelReply;
import org.habitline.llm.ModelRequest;
import org.habitline.llm.Receipt;
import org.habitline.messaging.Leases;
import org.habitline.storage.Transactions;
import org.habitline.tools.ToolOutcome;

/**
 * Records the iterations of one running turn. Model replies recorded before a crash are reused
 * instead of requested again; a new reply is on disk before any of its tools runs. Used by the
 * turn's own thread only.
 */
public final class Journal {

  private static final int LONGEST_MODEL = 200;

  /** More than the model calls that the tools of one iteration make. */
  private static final int MOST_CHILDREN = 10_000;

  /** The result of a call that acts outside, if a crash came before its result. */
  static final String UNKNOWN_RESULT = TurnJson.write(ToolOutcome.unknown().result());

  private static final String NO_RESULT =
      TurnJson.write(
          ToolOutcome.error(
                  "The turn was closed before this call had a result; nothing was changed.")
              .result());

  private final Claim claim;
  private final JdbcIterations rows;
  private final Leases leases;
  private final TurnEventStream broadcast;
  private final TurnMeter meter;
  private final PinnedModels models;
  private final Transactions transactions;
  private final List<Iteration> stored = new ArrayList<>();

  /** Iterations completed since the last write; their results are written with the next one. */
  private final List<Iteration> resultsToWrite = new ArrayList<>();

  /** New iterations that ran no tools, so that they can wait for the next write. */
  private final List<Iteration> toWrite = new ArrayList<>();

  /**
   * The newest iteration with a call that acted outside before a crash, or 0. It cannot be undone:
   * the resumed turn repeats all iterations up to it from disk, even if it would ask the model
   * something else today.
   */
  private int cannotBeUndone;

  /** Whether a message of the first request was deleted since. */
  private boolean firstIsGone;

  /** Completed iterations of the loop itself, by number. */
  private final SortedMap<Integer, Iteration> ended = new TreeMap<>();

  /** Model calls whose texts the gates checked, by number and child. */
  private final SortedMap<Integer, Iteration> judged = new TreeMap<>();

  Journal(
      Claim claim,
      JdbcIterations rows,
      Leases leases,
      TurnEventStream broadcast,
      TurnMeter meter,
      PinnedModels models,
      Transactions transactions) {
    this.claim = claim;
    this.rows = rows;
    this.leases = leases;
    this.broadcast = broadcast;
    this.meter = meter;
    this.models = models;
    this.transactions = transactions;
  }

  /** Recovers what an earlier attempt recorded. */
  void recover(StoredRequests requests) {
    transactions.read(() -> rows.of(claim.participant().id(), claim.turn())).stream()
        .filter(row -> row.answer() != null)
        .forEach(row -> recover(row, requests));
    stored.forEach(this::end);
    stored.forEach(this::count);
    cannotBeUndone =
        stored.stream()
            .filter(iteration -> iteration.toolCalls().stream().anyMatch(CallRecord::actedOutside))
            .mapToInt(Iteration::number)
            .max()
            .orElse(0);
    broadcast.startOver();
  }

  /**
   * Recovers an iteration, also if a message that its request showed was deleted since: its calls
   * may have acted outside.
   */
  private void recover(JdbcIterations.Row row, StoredRequests requests) {
    var messages = transactions.read(() -> requests.messages(row));
    stored.add(iteration(row, messages.orElse(List.of())));
    firstIsGone |= messages.isEmpty() && row.number() == 1 && row.child() == 0;
  }

  /** Returns the live events of this turn. */
  public TurnEventStream broadcast() {
    return broadcast;
  }

  /**
   * Returns the model's reply, or a failure without asking if a budget of today is used up, and
   * counts what the reply cost.
   */
  ModelReply paid(ModelRequest request, Supplier<ModelReply> call) {
    return meter.ask(request, () -> models.checked(call.get()));
  }

  /** Counts tokens that were paid for beside the coach, with the turn's next transaction. */
  public void paidBeside(String model, long input, long output) {
    meter.add(model, input, output);
  }

  /** Returns whether this reply stands for a model that was not asked; it is not recorded. */
  boolean isRefusal(ModelReply reply) {
    return meter.isRefusal(reply);
  }

  /** Returns the budget for which a model was not asked in this turn, or empty if it always was. */
  public Optional<UsedUp> refused() {
    return meter.refused();
  }

  /** Counts what the turn paid; joins the transaction that commits the turn, at its end. */
  public void count() {
    meter.write();
  }

  /** Counts, in a transaction of its own, what the turn paid and its commit did not count. */
  public void countRest() {
    meter.writeRest();
  }

  /**
   * Returns the first iteration if its request got a reply before a crash: the resumed turn must
   * send the same messages. Empty also if some of them were deleted since.
   */
  Optional<Iteration> first() {
    return firstIsGone ? Optional.empty() : find(1, 0);
  }

  /**
   * Returns the iteration whose reply is already recorded, if this very request was made before, or
   * if it led to a call that acted outside.
   */
  Optional<Iteration> recall(int number, int child, String requestHash) {
    return find(number, child)
        .filter(
            iteration -> iteration.requestHash().equals(requestHash) || number <= cannotBeUndone);
  }

  /** Returns an iteration of the loop whose calls all had results on disk before a crash. */
  Optional<Iteration> finished(int number) {
    return find(number, 0).filter(iteration -> iteration.completedAt() != null);
  }

  private Optional<Iteration> find(int number, int child) {
    return stored.stream()
        .filter(iteration -> iteration.number() == number && iteration.child() == child)
        .findFirst();
  }

  /** Writes an iteration to disk at once, in a transaction of its own. */
  void keep(Iteration iteration) {
    Journals.keeping(() ->
        transactions.write(() -> {
          leases.confirm(claim.lease());
          broadcast.together(() -> {
            writeWhatWaits();
            write(iteration);
            broadcast.started(iteration);
          });
          meter.write();
        }));
    resultsToWrite.clear();
    toWrite.clear();
    if (iteration.child() == 0) {
      ended.tailMap(iteration.number() + 1).clear();
    }
    judged.tailMap(place(iteration)).clear();
    count(iteration);
    if (iteration.number() >= cannotBeUndone) {
      stored.removeIf(old ->
          old.number() > iteration.number()
              || (old.number() == iteration.number() && old.child() >= iteration.child()));
    }
    stored.add(iteration);
  }

  /**
   * Writes to disk at once what another class keeps of this turn, in a transaction of its own,
   * while the lease holds.
   */
  public void keep(Runnable write) {
    Journals.keeping(() ->
        transactions.write(() -> {
          leases.confirm(claim.lease());
          write.run();
        }));
  }

  /**
   * Writes to disk at once which calls of an iteration in progress have begun, and the results of
   * those that act outside.
   */
  void progressed(Iteration iteration) {
    Journals.keeping(() ->
        transactions.write(() -> {
          leases.confirm(claim.lease());
          broadcast.together(() -> {
            writeWhatWaits();
            rows.complete(
                claim.participant().id(),
                claim.turn(),
                iteration.number(),
                TurnJson.calls(iteration.toolCalls()),
                iteration.completedAt());
          });
        }));
    resultsToWrite.clear();
    toWrite.clear();
  }

  /**
   * Writes an iteration that ran no tools to disk at once, unless it was recalled and already is
   * there.
   */
  void keepOnce(Iteration iteration) {
    end(iteration);
    if (recall(iteration.number(), iteration.child(), iteration.requestHash()).isEmpty()) {
      keep(iteration);
    }
  }

  /** Marks an iteration as completed; its results are written with the turn's next transaction. */
  void completed(Iteration iteration) {
    end(iteration);
    resultsToWrite.add(iteration);
  }

  /**
   * Adds an iteration that ran no tools; it is written with the turn's next transaction, unless it
   * was recalled and already is on disk.
   */
  void note(Iteration iteration) {
    end(iteration);
    count(iteration);
    if (recall(iteration.number(), iteration.child(), iteration.requestHash()).isEmpty()) {
      toWrite.add(iteration);
    }
  }

  /**
   * Closes the iterations that were in progress when an earlier attempt crashed; calls without a
   * result get an error, or an unknown outcome if they may have acted outside.
   */
  public void abandon(Instant at) {
    stored.stream()
        .filter(iteration -> iteration.child() == 0 && iteration.completedAt() == null)
        .map(iteration ->
            iteration.completed(
                iteration.toolCalls().stream().map(Journal::abandoned).toList(), at))
        .forEach(this::completed);
  }

  private static int place(Iteration iteration) {
    return iteration.number() * MOST_CHILDREN + iteration.child();
  }

  private void count(Iteration iteration) {
    if (Ruling.of(iteration).isPresent()) {
      judged.put(place(iteration), iteration);
    }
  }

  /** Returns what the gates decided about each text of the turn that they checked, in order. */
  public List<Ruling> rulings() {
    return judged.values().stream().flatMap(iteration -> Ruling.of(iteration).stream()).toList();
  }

  private void end(Iteration iteration) {
    if (iteration.child() == 0 && iteration.completedAt() != null) {
      ended.put(iteration.number(), iteration);
    }
  }

  /** Returns the completed iterations of the loop, in order. */
  public List<Iteration> ended() {
    return List.copyOf(ended.values());
  }

  private static CallRecord abandoned(CallRecord call) {
    if (call.result() != null) {
      return call;
    }
    return call.with(call.begun() ? UNKNOWN_RESULT : NO_RESULT);
  }

  /** Writes what is not on disk yet; joins the transaction that commits the turn. */
  public void finish() {
    writeWhatWaits();
  }

  private void writeWhatWaits() {
    for (var iteration : resultsToWrite) {
      rows.complete(
          claim.participant().id(),
          claim.turn(),
          iteration.number(),
          TurnJson.calls(iteration.toolCalls()),
          iteration.completedAt());
      if (finished(iteration.number()).isEmpty()) {
        broadcast.completed(iteration);
      }
    }
    toWrite.forEach(this::write);
  }

  private static String model(Receipt receipt) {
    var model =
        receipt.modelReturned() == null || receipt.modelReturned().isEmpty()
            ? receipt.modelAsked()
            : receipt.modelReturned();
    return model.substring(0, Math.min(LONGEST_MODEL, model.length()));
  }

  private void write(Iteration iteration) {
    var receipt = iteration.answer().receipt();
    if (claim.resumed() && iteration.number() >= cannotBeUndone) {
      rows.forgetFrom(
          claim.participant().id(), claim.turn(), iteration.number(), iteration.child());
    }
    meter.recorded(iteration.answer(), iteration.number(), iteration.child());
    var asked = isKept(iteration.asked()) ? iteration.asked() : iteration.asked().withEverything();
    rows.insert(
        claim.participant().id(),
        claim.turn(),
        iteration.number(),
        iteration.child(),
        iteration.requestHash(),
        TurnJson.write(asked),
        TurnJson.messages(asked.elsewhere().without(iteration.messages())),
        TurnJson.reply(iteration.answer()),
        TurnJson.calls(iteration.toolCalls()),
        TurnJson.write(metadata(iteration)),
        model(receipt),
        receipt.promptTokens(),
        receipt.completionTokens(),
        receipt.latencyMillis(),
        iteration.startedAt(),
        iteration.completedAt());
  }

  /** Returns the metadata, which says if another model answered than the one asked. */
  private Map<String, String> metadata(Iteration iteration) {
    if (!models.isOther(iteration.answer().receipt())) {
      return iteration.metadata();
    }
    var all = new TreeMap<>(iteration.metadata());
    all.put("other_model", "true");
    return all;
  }

  /** Returns whether the prompt that a request begins with is on disk. */
  private boolean isKept(Asked asked) {
    var prompt = asked.elsewhere().prompt();
    return prompt == null || claim.pinned().prompts().rendered().containsValue(prompt);
  }

  private static Iteration iteration(JdbcIterations.Row row, List<ModelMessage> messages) {
    return new Iteration(
        row.number(),
        row.child(),
        row.requestHash(),
        StoredRequests.asked(row),
        messages,
        TurnJson.reply(Objects.requireNonNull(row.answer())),
        TurnJson.calls(row.toolCalls()),
        TurnJson.read(row.metadata(), new TypeReference<Map<String, String>>() {}),
        row.startedAt(),
        row.completedAt());
  }
}
