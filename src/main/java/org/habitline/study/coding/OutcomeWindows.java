package org.habitline.study.coding;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.habitline.storage.Transactions;
import org.habitline.timers.Occurrence;

/**
 * Reads what coders see of daily prompts: the participant's own texts, and the kinds of the
 * messages between them. Nothing that it returns tells what group somebody is in, what the line
 * said or what was recorded.
 */
@Singleton
final class OutcomeWindows {

  /** What is written later than this after a prompt is not about it. */
  private static final Duration LONGEST = Duration.ofHours(24);

  private static final int PARTICIPANTS_AT_A_TIME = 50;

  /** Ten prompts a day for five years. */
  private static final int MOST_PROMPTS = 20_000;

  private static final int MOST_MESSAGES = 200_000;

  private final JdbcOutcomeTexts rows;
  private final Transactions transactions;
  private final Clock clock;

  OutcomeWindows(JdbcOutcomeTexts rows, Transactions transactions, Clock clock) {
    this.rows = rows;
    this.transactions = transactions;
    this.clock = clock;
  }

  /** Calls for all participants of the study, some at a time, in the order of their ids. */
  void forParticipants(Consumer<List<String>> some) {
    var after = "";
    while (true) {
      var from = after;
      var ids = transactions.read(() -> rows.participants(from, PARTICIPANTS_AT_A_TIME));
      if (ids.isEmpty()) {
        return;
      }
      some.accept(ids);
      after = ids.getLast();
    }
  }

  /**
   * Returns the windows of a participant's prompts that are over: a day has passed since the prompt
   * was sent. They are in the order of sending.
   */
  List<OutcomeWindow> of(String participantId) {
    return transactions.read(() -> {
      var sent = rows.sent(participantId, MOST_PROMPTS);
      var messages =
          sent.isEmpty()
              ? List.<JdbcOutcomeTexts.Outline>of()
              : rows.outline(participantId, MOST_MESSAGES);
      var over = over();
      var windows = new ArrayList<OutcomeWindow>();
      for (int i = 0; i < sent.size() && !sent.get(i).sentAt().isAfter(over); i++) {
        var day = sent.get(i).sentAt().plus(LONGEST);
        var next = i + 1 < sent.size() ? sent.get(i + 1).sentAt() : day;
        windows.add(window(participantId, sent.get(i), next.isBefore(day) ? next : day, messages));
      }
      return windows;
    });
  }

  private static OutcomeWindow window(
      String participantId,
      JdbcOutcomeTexts.Sent prompt,
      Instant end,
      List<JdbcOutcomeTexts.Outline> messages) {
    var items = new ArrayList<OutcomeWindow.Item>();
    items.add(new OutcomeWindow.Item.Message(LineMessage.DAILY_PROMPT));
    if (prompt.askedWithIt()) {
      items.add(new OutcomeWindow.Item.Message(LineMessage.OUTCOME_QUESTION));
    }
    var untilLastText = 0;
    for (var message : messages) {
      var at = message.createdAt();
      if (!prompt.cameWith(message) && (at.isBefore(prompt.sentAt()) || !at.isBefore(end))) {
        continue;
      }
      if (message.theirs()) {
        items.add(new OutcomeWindow.Item.Text(message.id()));
        untilLastText = items.size();
      } else {
        var kind = LineMessage.of(message.kind(), prompt.askedLater());
        if (kind != LineMessage.DAILY_PROMPT) {
          items.add(new OutcomeWindow.Item.Message(kind));
        }
      }
    }
    return new OutcomeWindow(
        participantId,
        new Occurrence.Key(LocalDate.parse(prompt.localDate()), prompt.slot()),
        items.subList(0, untilLastText));
  }

  /** Returns the window of a prompt, or empty if it was not sent or its window is not over. */
  Optional<OutcomeWindow> of(String participantId, Occurrence.Key key) {
    return of(participantId).stream().filter(window -> window.key().equals(key)).findFirst();
  }

  /**
   * Returns what a coder sees of a window, or empty if a text of it may no longer be seen, because
   * it was erased, cleared or became part of a crisis.
   */
  Optional<List<Seen>> seen(OutcomeWindow window) {
    return transactions.read(() -> {
      var seen = new ArrayList<Seen>();
      for (var item : window.items()) {
        switch (item) {
          case OutcomeWindow.Item.Message message -> seen.add(new Seen.Message(message.kind()));
          case OutcomeWindow.Item.Text text -> {
            var words = rows.words(window.participantId(), text.messageId());
            if (words.isEmpty()) {
              return Optional.empty();
            }
            seen.add(new Seen.Text(words.get()));
          }
        }
      }
      return Optional.of(List.copyOf(seen));
    });
  }

  /** The daily prompt of a participant. */
  record Key(String participantId, Occurrence.Key prompt) {}

  /** Returns the time until which the windows of prompts that were sent are over. */
  Instant over() {
    return clock.instant().minus(LONGEST);
  }
}
