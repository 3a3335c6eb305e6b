package org.habitline.messaging.inbox;

import jakarta.inject.Singleton;
import java.util.Objects;
import org.habitline.participants.Participants;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Screens the texts that a version without crisis rules stored and nobody has handled. A text that
 * no participant sent only opens an incident: it may be weeks old, so nobody is texted because of
 * it.
 */
@Singleton
public final class UnscreenedTexts {

  private static final Logger log = LoggerFactory.getLogger(UnscreenedTexts.class);

  private static final int AT_ONCE = 100;

  private final JdbcUnscreened rows;
  private final JdbcInbox inbox;
  private final IncomingScreen screen;
  private final Participants participants;
  private final Transactions transactions;

  UnscreenedTexts(
      JdbcUnscreened rows,
      JdbcInbox inbox,
      IncomingScreen screen,
      Participants participants,
      Transactions transactions) {
    this.rows = rows;
    this.inbox = inbox;
    this.screen = screen;
    this.participants = participants;
    this.transactions = transactions;
  }

  /** Screens all of them, before any turn may handle one; does nothing if there are none. */
  public void screen() {
    while (true) {
      var some = transactions.read(() -> rows.some(AT_ONCE));
      if (some.isEmpty()) {
        return;
      }
      some.forEach(this::screen);
    }
  }

  private void screen(JdbcUnscreened.Row text) {
    var alarm = text.body() == null ? null : screen.look(text.body()).orElse(null);
    try {
      screened(text, alarm);
    } catch (RuntimeException e) {
      if (alarm == null) {
        throw e;
      }
      // As for a text that arrives: the incident matters more than what else belongs to it.
      log.warn("A text in which a rule found a danger is stored again: {}", e.getClass().getName());
      screened(text, alarm.recordOnly());
    }
  }

  private void screened(JdbcUnscreened.Row text, IncomingScreen.@Nullable Alarm alarm) {
    transactions.write(() -> {
      if (text.participantId() != null) {
        participants.hold(text.participantId());
      }
      if (rows.done(text.textId()) > 0 && alarm != null && text.channel() != null) {
        var sender =
            text.participantId() == null
                ? null
                : participants.findWithContacts(text.participantId()).orElse(null);
        var incident =
            alarm.raise(
                new IncomingScreen.Arrived(
                    text.textId(),
                    sender,
                    Objects.requireNonNullElse(text.sender(), ""),
                    text.channel()));
        if (incident != null && sender != null) {
          inbox.belongs(text.textId(), incident);
        }
      }
    });
  }
}
