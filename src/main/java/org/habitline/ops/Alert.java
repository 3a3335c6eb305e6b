package org.habitline.ops;

import java.util.Locale;
import org.slf4j.event.Level;

/**
 * A condition that somebody must hear of: what it means for participants and what to do, and that
 * it is over. Numbers stand for {@code {}}; there is never anything of a participant in it.
 */
enum Alert {
  DATABASE(
      Level.ERROR,
      "The database cannot be read: nobody is answered and nothing is sent; texts that come now are"
          + " fetched from Twilio later. Check that it runs and that its connections are not used up",
      "The database can be read again"),
  UNANSWERED(
      Level.ERROR,
      "Texts wait for an answer ({}, the oldest for {} min): whoever wrote them hears nothing. Look"
          + " whether the model is slow or the machine busy; a restart loses nothing and takes up"
          + " what was begun",
      "No text waits for an answer longer than it should any more"),
  UNSENT(
      Level.ERROR,
      "Texts by {} wait to leave, the oldest for {} min: participants do not get them, and what waits"
          + " too long is dropped. Look whether the provider works and answers, and whether"
          + " TWILIO_SMS_RATE or TWILIO_WHATSAPP_RATE is too low for so many",
      "Texts leave in time again"),
  MODEL_FAILING(
      Level.ERROR,
      "{} turns within {} min failed because the model gave no usable answer: participants got the"
          + " flow's own text instead of a coach. Check the model's server, OPENAI_API_KEY and its"
          + " limits; OPENAI_FALLBACK_MODEL would stand in",
      "The model answers again"),
  REFUSED_CALLS(
      Level.WARN,
      "{} webhook calls within {} min were not signed with the account's token and were refused: if"
          + " they are Twilio's, no text of a participant comes in. Check TWILIO_AUTH_TOKEN, and that"
          + " HABITLINE_PUBLIC_URL is the address that Twilio calls; else somebody else is knocking",
      "No more webhook calls are refused than now and then"),
  NOT_OURS(
      Level.WARN,
      "{} webhook calls within {} min were signed with the account's token, but for another account or"
          + " number, and were refused: a webhook is set where this line does not expect it. Compare"
          + " TWILIO_ACCOUNT_SID, TWILIO_SMS_FROM, TWILIO_WHATSAPP_FROM and"
          + " TWILIO_MESSAGING_SERVICE_SID with what is set at Twilio",
      "No more webhook calls come for another account or number"),
  CLOCK(
      Level.WARN,
      "This machine's clock and Twilio's differ by {} s (they should agree within {} s): texts of"
          + " unknown fate are looked up over a longer time, and prompts come early or late. Have the"
          + " clock set by NTP",
      "This machine's clock agrees with Twilio's again"),
  REFUSED_KEYS(
      Level.WARN,
      "{} wrong keys, chat tokens or attempts to sign in came within {} min and were refused: either a"
          + " script still uses a key that was revoked, or somebody is guessing. The audit log says from"
          + " where ('API key refused', 'sign-in refused', 'chat token refused')",
      "No more wrong keys come than now and then"),
  LATE_WAKEUPS(
      Level.ERROR,
      "Wake-ups are late ({}, the first by {} min): prompts and reminders do not come in their time,"
          + " and prompts that become too late are missed. Look whether the database is slow or the"
          + " machine busy; a restart wakes whatever is due at once",
      "Wake-ups ring in time again"),
  MISSED_PROMPTS(
      Level.WARN,
      "Daily prompts were not sent in their time ({} within {} h) and will not be: these"
          + " participants had none that day. The participant's page says of each date why; see"
          + " whether line and provider were up then",
      "No daily prompt of the last 24 h was missed"),
  LOCK_WAITS(
      Level.WARN,
      "Database connections wait for locks ({}, the first for {} s): whoever needs the same rows waits"
          + " too. If another node is suspended or cut off, the database ends its transaction after"
          + " 15 s; if this goes on, look for what holds locks in pg_stat_activity",
      "No database connection waits long for a lock any more"),
  STRAY_TEXTS(
      Level.ERROR,
      "Texts went out a second time, or after they were withdrawn ({} within {} h), because the process"
          + " that sent them had been suspended. The deliveries on the participants' pages say which;"
          + " find out what suspends the machine, and tell the participants if it matters to them",
      "No text of the last 24 h went out that should not have");

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
