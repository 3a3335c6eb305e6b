package org.habitline.ops.health;

import java.util.Locale;
import org.slf4j.event.Level;

/**
 * A condition that an operator must act on: one message for its beginning, with its consequence and
 * remedy, and one for its end. Numbers replace {@code {}}; messages never hold participants' data.
 */
enum Alert {
  DATABASE(
      Level.ERROR,
      "The database cannot be read: participants get no replies and nothing is sent. Texts"
          + " that arrive now are fetched from Twilio later. Check that the database runs and has free connections",
      "The database can be read again"),
  UNANSWERED(
      Level.ERROR,
      "Texts are waiting for a reply ({}, the oldest for {} min). Check whether the model is slow or the machine is busy. A"
          + " restart loses nothing: the service continues where it stopped",
      "Texts get replies in time again"),
  UNSENT(
      Level.ERROR,
      "Messages by {} wait to be sent, the oldest for {} min: participants do not get them, and a message that"
          + " waits too long is dropped. Check whether the provider works and responds, and whether"
          + " TWILIO_SMS_RATE or TWILIO_WHATSAPP_RATE is too low for this many messages",
      "Messages are sent in time again"),
  MODEL_FAILING(
      Level.ERROR,
      "{} turns within {} min failed because the model gave no usable answer: participants got the"
          + " flow's fallback message instead of the coach's reply. Check the model's server, OPENAI_API_KEY and"
          + " its limits. OPENAI_FALLBACK_MODEL sets a model to use instead",
      "The model answers again"),
  LITTLE_SPACE(
      Level.WARN,
      "The disk of the data folder has less than 1 GB of free space ({} MB). When it is full, nothing is"
          + " acknowledged or sent until there is room again. Free some space or enlarge the disk",
      "The disk of the data folder has 1 GB of free space again"),
  VERY_LITTLE_SPACE(
      Level.ERROR,
      "The disk of the data folder has less than 200 MB of free space ({} MB). When it is full, nothing is"
          + " acknowledged or sent until there is room again. Free some space or enlarge the disk now",
      "The disk of the data folder has 200 MB of free space again"),
  REFUSED_CALLS(
      Level.WARN,
      "{} webhook calls within {} min were not signed with the account's token and were refused. If"
          + " Twilio made them, texts from participants do not arrive: check TWILIO_AUTH_TOKEN, and that"
          + " HABITLINE_PUBLIC_URL is the address that Twilio calls. If not, someone else calls the"
          + " webhook",
      "Webhook calls without a valid signature no longer arrive in large numbers"),
  NOT_OURS(
      Level.WARN,
      "{} webhook calls within {} min were signed with the account's token, but were for another account"
          + " or number, and were refused: a webhook at Twilio points here by mistake. Compare"
          + " TWILIO_ACCOUNT_SID, TWILIO_SMS_FROM, TWILIO_WHATSAPP_FROM and"
          + " TWILIO_MESSAGING_SERVICE_SID with what is set at Twilio",
      "Webhook calls for another account or number have stopped"),
  CLOCK(
      Level.WARN,
      "This machine's clock and Twilio's differ by {} s (they should agree within {} s). Daily prompts are"
          + " sent early or late, and checking whether a message was sent takes longer. Synchronise"
          + " the clock with NTP",
      "This machine's clock agrees with Twilio's again"),
  REFUSED_KEYS(
      Level.WARN,
      "{} wrong keys, chat tokens or attempts to sign in were refused within {} min: either a script"
          + " still uses a revoked key, or someone is guessing. The audit log shows where they came"
          + " from ('API key refused', 'sign-in refused', 'chat token refused')",
      "Wrong keys no longer arrive in large numbers"),
  LATE_WAKEUPS(
      Level.ERROR,
      "Jobs are late ({}, the first by {} min): daily prompts and reminders are not sent on time, and a"
          + " daily prompt that is too late is not sent at all. Check whether the database is slow or the"
          + " machine is busy. After a restart, everything that is due runs immediately",
      "Jobs run on time again"),
  MISSED_PROMPTS(
      Level.WARN,
      "Daily prompts were not sent on time and will not be sent ({} within {} h): these participants got"
          + " no daily prompt that day. The participant's page gives the reason for each date. Check whether the"
          + " service and the provider were up then",
      "No daily prompt was missed in the last 24 h"),
  LOCK_WAITS(
      Level.WARN,
      "Database connections wait for locks ({}, the first for {} s). Everything that needs the same rows"
          + " waits, too. If another node is suspended or cut off, the database ends its transaction after"
          + " 15 s. If this continues, find out in pg_stat_activity what holds the locks",
      "Database connections no longer wait long for locks"),
  STRAY_TEXTS(
      Level.ERROR,
      "Messages were sent a second time, or after they were withdrawn ({} within {} h), because the process"
          + " that sent them had been suspended. The deliveries on the participants' pages show which"
          + " messages. Find out what suspends the machine, and tell the participants if it matters to them",
      "No message was sent twice or after it was withdrawn in the last 24 h");

  private final Level level;
  private final String begins;
  private final String ends;

  Alert(Level level, String begins, String ends) {
    this.level = level;
    this.begins = begins;
    this.ends = ends;
  }

  Level level() {
    return level;
  }

  String begins() {
    return begins;
  }

  String ends() {
    return ends;
  }

  String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
