package org.habitline.staff.prompts;

import io.micronaut.http.HttpStatus;
import jakarta.inject.Singleton;
import java.time.ZoneId;
import java.util.Optional;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.budgets.AllowedCountries;
import org.habitline.conversation.requests.GenAiWriter;
import org.habitline.conversation.requests.RequestedPrompt;
import org.habitline.conversation.requests.RequestedPrompts;
import org.habitline.conversation.stored.StateReader;
import org.habitline.flows.FlowCatalog;
import org.habitline.messaging.Channels;
import org.habitline.messaging.inbox.ConsentKeywords;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.participants.AlreadyEnrolled;
import org.habitline.participants.Enrolment;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantStatus;
import org.habitline.participants.Participants;
import org.habitline.participants.PhoneNumber;
import org.habitline.participants.PhoneNumbers;
import org.habitline.participants.TimeZones;
import org.habitline.participants.UnknownZone;
import org.habitline.participants.UnreadablePhoneNumber;
import org.habitline.staff.people.EnrolmentDesk;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.StaffSettings;
import org.habitline.storage.Transactions;
import org.habitline.timers.CalendarRule;
import org.habitline.timers.PromptTimes;
import org.jspecify.annotations.Nullable;

/**
 * Queues and schedules prompts that scripts request, and writes each request to the audit log.
 * Prompts go to any number, enrolled or not, except one that opted out with STOP or whose
 * participant is paused, completed or withdrawn. A request enrols no one.
 */
@Singleton
final class PromptDesk {

  private final RequestedPrompts scripts;
  private final GenAiWriter genAi;
  private final StateReader states;
  private final Participants participants;
  private final PhoneNumbers phoneNumbers;
  private final AllowedCountries countries;
  private final FlowCatalog flows;
  private final Channels channels;
  private final ConsentKeywords keywords;
  private final PromptTimes times;
  private final AuditLog audit;
  private final Transactions transactions;
  private final ZoneId defaultZone;

  PromptDesk(
      RequestedPrompts scripts,
      GenAiWriter genAi,
      StateReader states,
      Participants participants,
      PhoneNumbers phoneNumbers,
      AllowedCountries countries,
      FlowCatalog flows,
      Channels channels,
      ConsentKeywords keywords,
      PromptTimes times,
      AuditLog audit,
      Transactions transactions,
      StaffSettings settings) {
    this.scripts = scripts;
    this.genAi = genAi;
    this.states = states;
    this.participants = participants;
    this.phoneNumbers = phoneNumbers;
    this.countries = countries;
    this.flows = flows;
    this.channels = channels;
    this.keywords = keywords;
    this.times = times;
    this.audit = audit;
    this.transactions = transactions;
    this.defaultZone = ZoneId.of(settings.defaultTimezone());
  }

  /** A checked prompt, ready to be queued, and the number it goes to. */
  record Prepared(PhoneNumber to, RequestedPrompt prompt) {}

  /**
   * Checks a prompt to send now. A model writes the text of a genai prompt here, so the caller must
   * hold no transaction.
   *
   * @throws ApiProblem 400 for input that is not accepted, 409 if nothing may be sent to this
   *     number, 500 if the model gives no text
   */
  Prepared prepare(@Nullable String to, PromptReader.Said said) {
    var prompt = PromptReader.read(said, keywords);
    var number = allowed(number("to", to));
    if (prompt instanceof RequestedPrompt.Custom) {
      writable(number, true);
    }
    return new Prepared(
        number,
        prompt instanceof RequestedPrompt.GenAi unwritten ? generated(number, unwritten) : prompt);
  }

  private RequestedPrompt generated(PhoneNumber number, RequestedPrompt.GenAi prompt) {
    transactions.write(() -> {
      transactions.rollBack();
      return receiver(number);
    });
    return switch (genAi.write(prompt)) {
      case GenAiWriter.Writing.Written written -> written.prompt();
      case GenAiWriter.Writing.Failed failed ->
          throw new ApiProblem(
              HttpStatus.INTERNAL_SERVER_ERROR,
              "The text could not be generated and nothing was sent: " + failed.why() + ".");
    };
  }

  /** The id of the queued prompt or schedule, and its receiver. */
  record Done(String participantId, String id) {}

  /**
   * Queues a prompt. Joins the running transaction, if there is one.
   *
   * @throws ApiProblem 409 if nothing may be sent to this number
   */
  Done send(Actor actor, Prepared prepared) {
    return transactions.write(() -> {
      var receiver = receiver(prepared.to());
      var id = scripts.ask(receiver, prepared.prompt(), actor.name());
      audit.record(
          AuditEntry.of(actor.name(), actor.role(), AuditAction.PROMPT_SENT)
              .to(receiver.id())
              .about(id)
              .changed(null, shown(prepared.prompt())));
      return new Done(receiver.id(), id);
    });
  }

  /** A schedule as requested; a {@code null} field matches any value. */
  record Times(
      @Nullable Integer minute,
      @Nullable Integer hour,
      @Nullable Integer day,
      @Nullable Integer month,
      @Nullable Integer weekday,
      @Nullable String timezone) {}

  /**
   * Schedules a recurring prompt. Joins the running transaction, if there is one.
   *
   * @param wanted when; {@code null} for {@code DEFAULT_SCHEDULE} in the receiver's zone
   * @throws ApiProblem 400 for input that is not accepted, 409 if nothing may be sent to this
   *     number
   */
  Done schedule(Actor actor, @Nullable String to, PromptReader.Said said, @Nullable Times wanted) {
    var prompt = PromptReader.read(said, keywords);
    var number = allowed(number("to", to));
    var rule = wanted == null ? Optional.<CalendarRule>empty() : Optional.of(rule(wanted));
    if (rule.isEmpty() && times.standard().isEmpty()) {
      throw ApiProblem.bad(
          "schedule: missing, and DEFAULT_SCHEDULE is not set; give minute, hour, day, month,"
              + " weekday or timezone.");
    }
    if (prompt instanceof RequestedPrompt.Custom) {
      writable(number, false);
    }
    return transactions.write(() -> {
      var receiver = receiver(number);
      var when = rule.orElseGet(() -> standard(receiver));
      var id = scripts.schedule(receiver, prompt, when, actor.name());
      audit.record(
          AuditEntry.of(actor.name(), actor.role(), AuditAction.PROMPT_SCHEDULED)
              .to(receiver.id())
              .about(id)
              .changed(null, shown(prompt) + ", " + when.text()));
      return new Done(receiver.id(), id);
    });
  }

  private CalendarRule standard(Participant receiver) {
    var time = times.standard().orElseThrow();
    return new CalendarRule(time.getMinute(), time.getHour(), null, null, null, receiver.zone());
  }

  private static CalendarRule rule(Times wanted) {
    try {
      return new CalendarRule(
          wanted.minute(),
          wanted.hour(),
          wanted.day(),
          wanted.month(),
          wanted.weekday(),
          zone(wanted.timezone()));
    } catch (IllegalArgumentException e) {
      throw ApiProblem.bad(String.valueOf(e.getMessage()));
    }
  }

  private static ZoneId zone(@Nullable String name) {
    if (name == null || name.isBlank()) {
      return ZoneId.of("UTC");
    }
    try {
      return TimeZones.read(name.strip());
    } catch (UnknownZone e) {
      throw ApiProblem.bad("schedule." + e.getMessage());
    }
  }

  /** Describes a prompt for the audit log, without its text. */
  private static String shown(RequestedPrompt prompt) {
    return prompt.word() + ", " + prompt.length() + " characters";
  }

  /**
   * Reads a number with or without its plus sign. If the number with a plus sign belongs to a
   * participant, that reading wins.
   */
  private PhoneNumber number(String field, @Nullable String said) {
    if (said == null || said.isBlank()) {
      throw ApiProblem.bad(field + ": missing; write it as country code and number.");
    }
    try {
      return phoneNumbers
          .withPlus(said)
          .filter(it -> participants.findByPhone(it).isPresent())
          .orElseGet(() -> phoneNumbers.readWithoutPlus(said).number());
    } catch (UnreadablePhoneNumber e) {
      throw ApiProblem.bad(String.valueOf(e.getMessage()).replaceFirst("^phone_number", field));
    }
  }

  private PhoneNumber allowed(PhoneNumber number) {
    countries
        .whyNot(number)
        .ifPresent(why -> {
          throw ApiProblem.bad("to: " + why);
        });
    return number;
  }

  /** Checks that a personal prompt can be written: only for participants, from their profile. */
  private void writable(PhoneNumber number, boolean now) {
    var participant =
        participants
            .findByPhone(number)
            .orElseThrow(() ->
                ApiProblem.bad(
                    "to: no participant has this number; a prompt of type custom is written from a participant's"
                        + " profile."));
    var generates =
        flows.flow(participant.flow()).filter(it -> it.promptGenerator() != null).isPresent();
    if (!generates) {
      throw ApiProblem.bad("type: the flow of this participant has no prompt generator.");
    }
    var missing = states.profile(participant).missing();
    if (now && !missing.isEmpty()) {
      throw ApiProblem.bad(
          "to: the profile of this participant has no "
              + String.join(", ", missing)
              + " yet; a personal prompt needs that.");
    }
  }

  /**
   * Returns the participant or contact with this number, locked by the running transaction.
   *
   * @throws ApiProblem 409 if nothing may be sent to them
   */
  private Participant receiver(PhoneNumber number) {
    var receiver = met(number);
    if (receiver.optedOut()) {
      throw ApiProblem.conflict(
          "to: this number opted out with STOP; nothing is sent to it until it texts START.");
    }
    if (receiver.status() != ParticipantStatus.ACTIVE) {
      throw ApiProblem.conflict(
          "to: the status of this participant is "
              + receiver.status().word()
              + "; nothing is sent to them unless they are active.");
    }
    return receiver;
  }

  private Participant met(PhoneNumber number) {
    try {
      return participants.meet(
          Enrolment.of(number, defaultZone, flows.defaultFlow().id(), channels.usual())
              .byTextFromAnywhere());
    } catch (AlreadyEnrolled e) {
      throw ApiProblem.conflict(
          "to: the participant with this number is being erased; try again in a moment.");
    }
  }

  /**
   * Records a text as a response from a number. Scripts can read it; the coach does not reply to
   * it.
   *
   * @throws ApiProblem 400 for input that is not accepted
   */
  void record(Actor actor, @Nullable String from, @Nullable String body) {
    var number = number("from", from);
    var text = EnrolmentDesk.text("body", body, Inbox.LONGEST_TEXT, true);
    if (text == null) {
      throw ApiProblem.bad("body: missing; write the text of the response.");
    }
    transactions.write(() -> {
      var known = participants.findWithContacts(number).map(Participant::id).orElse(null);
      scripts.record(number, known, text);
      var entry =
          AuditEntry.of(actor.name(), actor.role(), AuditAction.RESPONSE_RECORDED)
              .changed(null, text.length() + " characters");
      audit.record(known == null ? entry : entry.to(known));
    });
  }
}
