package org.habitline.staff.people;

import io.micronaut.http.HttpStatus;
import jakarta.inject.Singleton;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.budgets.AllowedCountries;
import org.habitline.flows.FlowCatalog;
import org.habitline.messaging.Channels;
import org.habitline.messaging.inbox.PlainText;
import org.habitline.participants.AlreadyEnrolled;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Enrolment;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantChange;
import org.habitline.participants.ParticipantChange.NewText;
import org.habitline.participants.ParticipantStatus;
import org.habitline.participants.Participants;
import org.habitline.participants.PhoneNumber;
import org.habitline.participants.PhoneNumbers;
import org.habitline.participants.StatusRefused;
import org.habitline.participants.StudyIdTaken;
import org.habitline.participants.TimeZones;
import org.habitline.participants.UnknownZone;
import org.habitline.participants.UnreadablePhoneNumber;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.AuditedDetails;
import org.habitline.staff.web.StaffSettings;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/**
 * Checks and makes changes to participants for researchers and staff; each change and its audit
 * entry are one transaction. The page and the REST API both call it, so their error messages are
 * the same.
 */
@Singleton
public final class EnrolmentDesk {

  private static final int SHORT = 200;
  private static final int LONG = 10_000;
  private static final int LONGEST_VERSION = 100;
  private static final int LONGEST_REASON = 1000;

  /** A study's own id can be part of a file's name or an address. */
  private static final Pattern STUDY_ID = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  private final Participants participants;
  private final CustomFields fields;
  private final PhoneNumbers phoneNumbers;
  private final AllowedCountries countries;
  private final FlowCatalog flows;
  private final Channels channels;
  private final AuditLog audit;
  private final Transactions transactions;
  private final ZoneId defaultZone;

  EnrolmentDesk(
      Participants participants,
      CustomFields fields,
      PhoneNumbers phoneNumbers,
      AllowedCountries countries,
      FlowCatalog flows,
      Channels channels,
      AuditLog audit,
      Transactions transactions,
      StaffSettings settings) {
    this.participants = participants;
    this.fields = fields;
    this.phoneNumbers = phoneNumbers;
    this.countries = countries;
    this.flows = flows;
    this.channels = channels;
    this.audit = audit;
    this.transactions = transactions;
    this.defaultZone = ZoneId.of(settings.defaultTimezone());
  }

  /**
   * The fields of an enrolment; a blank field counts as not given.
   *
   * @param consentVersion the version of the consent text to which the person consented elsewhere
   * @param language one of the flow's languages
   * @param studyId the study's own id of the person
   * @param fields values of the study's own fields, by name
   */
  public record Wanted(
      @Nullable String phoneNumber,
      @Nullable String name,
      @Nullable String gender,
      @Nullable String ethnicity,
      @Nullable String background,
      @Nullable String timezone,
      @Nullable String flow,
      @Nullable String channel,
      @Nullable String consentVersion,
      @Nullable String language,
      @Nullable String studyId,
      Map<String, String> fields) {

    /** Creates an enrolment that names no consent, no language and nothing of the study's own. */
    public Wanted(
        @Nullable String phoneNumber,
        @Nullable String name,
        @Nullable String gender,
        @Nullable String ethnicity,
        @Nullable String background,
        @Nullable String timezone,
        @Nullable String flow,
        @Nullable String channel) {
      this(
          phoneNumber,
          name,
          gender,
          ethnicity,
          background,
          timezone,
          flow,
          channel,
          null,
          null,
          null,
          Map.of());
    }
  }

  /** The participant, and warnings about the values given. */
  public record Enrolled(Participant participant, List<String> warnings) {}

  /**
   * Enrols a participant, who gets a greeting.
   *
   * @throws ApiProblem 400 for input that is not accepted, 409 for a number that is already
   *     enrolled, or a study id that another participant has
   */
  public Enrolled enrol(Actor actor, Wanted wanted) {
    return enrol(actor, wanted, false);
  }

  /**
   * Enrols a person who texted first and therefore gets no greeting.
   *
   * @throws ApiProblem as {@link #enrol(Actor, Wanted)} does
   */
  public Enrolled enrolTexting(Actor actor, Wanted wanted) {
    return enrol(actor, wanted, true);
  }

  private Enrolled enrol(Actor actor, Wanted wanted, boolean byText) {
    var phone = allowed(wanted.phoneNumber());
    var enrolment = enrolment(phone, wanted, byText);
    try {
      return transactions.write(() -> {
        var participant = participants.enrol(enrolment);
        audit.record(
            AuditEntry.of(actor.name(), actor.role(), AuditAction.PARTICIPANT_ENROLLED)
                .to(participant.id()));
        return new Enrolled(participant, warnings(phone, participant));
      });
    } catch (AlreadyEnrolled | StudyIdTaken e) {
      throw ApiProblem.conflict(String.valueOf(e.getMessage()));
    }
  }

  private Enrolment enrolment(PhoneNumbers.Read phone, Wanted wanted, boolean byText) {
    var zone = given(wanted.timezone());
    return new Enrolment(
        phone.number(),
        label("name", wanted.name()),
        label("gender", wanted.gender()),
        label("ethnicity", wanted.ethnicity()),
        text("background", wanted.background(), LONG),
        zone == null ? defaultZone : zone(zone),
        zone == null,
        flow(wanted.flow()),
        channel(wanted.channel()),
        byText,
        version(wanted.consentVersion()),
        language(wanted.flow(), wanted.language()),
        studyId(wanted.studyId()),
        fields.enrolled(wanted.fields(), !byText));
  }

  /**
   * Checks an enrolment, except whether the number is already enrolled and the study id taken.
   * Changes nothing.
   *
   * @return the number as it would be stored, with warnings about it
   * @throws ApiProblem 400 for input that is not accepted
   */
  public PhoneNumbers.Read check(Wanted wanted) {
    var phone = allowed(wanted.phoneNumber());
    var _ = enrolment(phone, wanted, false);
    return phone;
  }

  /** Returns every problem of an enrolment, at most one for each field. */
  public List<ApiProblem> problems(Wanted wanted) {
    var checked =
        Stream.<Runnable>of(
                () -> allowed(wanted.phoneNumber()),
                () -> text("name", wanted.name(), SHORT),
                () -> text("gender", wanted.gender(), SHORT),
                () -> text("ethnicity", wanted.ethnicity(), SHORT),
                () -> text("background", wanted.background(), LONG),
                () -> Optional.ofNullable(given(wanted.timezone())).ifPresent(EnrolmentDesk::zone),
                () -> flow(wanted.flow()),
                () -> channel(wanted.channel()),
                () -> version(wanted.consentVersion()),
                () -> language(wanted.flow(), wanted.language()),
                () -> studyId(wanted.studyId()))
            .flatMap(check -> problem(check).stream());
    return Stream.concat(checked, fields.problems(wanted.fields()).stream()).toList();
  }

  /** Returns every problem of a new study id and new values of the study's fields. */
  public List<ApiProblem> problems(String id, WantedChange wanted) {
    return Stream.concat(
            problem(() -> studyId(wanted.studyId())).stream(),
            fields.problems(wanted.fields(), participants.fields(id).keySet()).stream())
        .toList();
  }

  private static Optional<ApiProblem> problem(Runnable check) {
    try {
      check.run();
      return Optional.empty();
    } catch (ApiProblem problem) {
      return Optional.of(problem);
    }
  }

  /** Returns a number as it would be stored, or empty if it is not valid. */
  public Optional<PhoneNumber> number(@Nullable String phone) {
    try {
      return Optional.of(read(phone).number());
    } catch (ApiProblem unreadable) {
      return Optional.empty();
    }
  }

  private static List<String> warnings(PhoneNumbers.Read phone, Participant participant) {
    return warnings(phone, participant.optedOut());
  }

  /** Returns the warnings about enrolling a number that may have opted out with STOP. */
  public static List<String> warnings(PhoneNumbers.Read phone, boolean optedOut) {
    var warnings = new ArrayList<>(phone.warnings());
    if (optedOut) {
      warnings.add(
          "phone_number: this number has opted out with STOP; nothing is sent to it until it texts START.");
    }
    return List.copyOf(warnings);
  }

  private PhoneNumbers.Read read(@Nullable String phone) {
    var said = given(phone);
    if (said == null) {
      throw ApiProblem.bad("phone_number: missing; write it as +, country code and number.");
    }
    try {
      return phoneNumbers.read(said);
    } catch (UnreadablePhoneNumber e) {
      throw ApiProblem.bad(String.valueOf(e.getMessage()));
    }
  }

  /** Reads the number of somebody who will be texted. */
  private PhoneNumbers.Read allowed(@Nullable String phone) {
    var read = read(phone);
    countries
        .whyNot(read.number())
        .ifPresent(why -> {
          throw ApiProblem.bad("phone_number: " + why);
        });
    return read;
  }

  private static @Nullable String given(@Nullable String text) {
    return text == null || text.isBlank() ? null : text.strip();
  }

  /**
   * Returns a field's value as stored, stripped and with one kind of line end, or {@code null} if
   * blank.
   *
   * @throws ApiProblem 400 if it is too long or contains control characters
   */
  public static @Nullable String text(String field, @Nullable String text, int most) {
    // Each short field takes one line of the prompt file that the model reads.
    return text(field, text, most, most == LONG);
  }

  /**
   * Returns a field's value as stored, of one line or with several lines allowed.
   *
   * @throws ApiProblem 400 if it is too long or contains control characters
   */
  public static @Nullable String text(
      String field, @Nullable String text, int most, boolean lines) {
    var said = given(text);
    if (said == null) {
      return null;
    }
    var kept = said.replace("\r\n", "\n");
    if (kept.length() > most) {
      throw ApiProblem.bad(field + ": too long; at most " + most + " characters are accepted.");
    }
    var allowed = lines ? "\n\t" : "";
    if (kept.codePoints().anyMatch(c -> unprintable(c) && allowed.indexOf(c) < 0)) {
      throw ApiProblem.bad(
          field
              + ": contains control characters or invalid characters; write plain text"
              + (lines ? "." : " on one line."));
    }
    return kept;
  }

  /**
   * Returns a name, or another short text that pages show beside one, which may not change the
   * writing direction.
   */
  private static @Nullable String label(String field, @Nullable String text) {
    var kept = text(field, text, SHORT);
    if (kept != null && PlainText.steersDirection(kept)) {
      throw ApiProblem.bad(
          field
              + ": contains invisible characters that change the writing direction, such as U+202E;"
              + " remove them.");
    }
    return kept;
  }

  private static @Nullable String studyId(@Nullable String text) {
    var said = given(text);
    if (said != null && !STUDY_ID.matcher(said).matches()) {
      throw ApiProblem.bad(
          "study_id: expected at most 64 letters (A to Z, a to z), digits and the signs - _ . such"
              + " as S-0042.");
    }
    return said;
  }

  private static @Nullable String version(@Nullable String text) {
    return text("consent_version", text, LONGEST_VERSION);
  }

  /** Returns a reason as the audit log stores it, or {@code null} if none was given. */
  public static @Nullable String reason(@Nullable String reason) {
    return text("reason", reason, LONGEST_REASON);
  }

  private static boolean unprintable(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.SURROGATE,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          true;
      default -> false;
    };
  }

  private static ZoneId zone(String name) {
    try {
      return TimeZones.read(name);
    } catch (UnknownZone e) {
      throw ApiProblem.bad(String.valueOf(e.getMessage()));
    }
  }

  private String flow(@Nullable String flow) {
    var said = given(flow);
    if (said == null) {
      return flows.defaultFlow().id();
    }
    if (flows.flow(said).isEmpty()) {
      throw ApiProblem.bad("flow: unknown; expected one of " + flows.ids() + ".");
    }
    return said;
  }

  /**
   * Returns a language as it is stored, or {@code null} if none was given.
   *
   * @param flow a flow; an unknown one is a problem of its own
   */
  private @Nullable String language(@Nullable String flow, @Nullable String language) {
    var said = given(language);
    if (said == null) {
      return null;
    }
    var named = given(flow);
    var its = named == null ? Optional.of(flows.defaultFlow()) : flows.flow(named);
    var code = said.toLowerCase(Locale.ROOT);
    its.filter(it -> !it.languages().all().contains(code))
        .ifPresent(it -> {
          throw ApiProblem.bad(
              "language: the flow "
                  + it.id()
                  + " does not have this language; expected "
                  + (it.languages().all().size() == 1 ? "" : "one of ")
                  + it.languages().listed()
                  + ".");
        });
    return code;
  }

  private ChannelKind channel(@Nullable String channel) {
    var said = given(channel);
    if (said == null) {
      return channels.usual();
    }
    var kind =
        Arrays.stream(ChannelKind.values())
            .filter(it -> it.word().equalsIgnoreCase(said) || it.title().equalsIgnoreCase(said))
            .findFirst();
    return kind.filter(channels.kinds()::contains)
        .orElseThrow(() ->
            ApiProblem.bad(
                "channel: "
                    + kind.map(it -> it.word() + " is not configured").orElse("unknown")
                    + "; expected "
                    + words(channels.kinds())
                    + "."));
  }

  private static String words(Set<ChannelKind> kinds) {
    return kinds.stream().map(ChannelKind::word).collect(Collectors.joining(" or "));
  }

  /**
   * A partial update: a {@code null} component stays unchanged, a blank text clears.
   *
   * @param language a blank one stands for the default of the flow
   * @param studyId a blank one removes it
   * @param fields values of the study's own fields, by name; a blank one clears the field
   */
  public record WantedChange(
      @Nullable String name,
      @Nullable String gender,
      @Nullable String ethnicity,
      @Nullable String background,
      @Nullable String timezone,
      @Nullable String status,
      @Nullable String reason,
      @Nullable String consentVersion,
      @Nullable String language,
      @Nullable String studyId,
      Map<String, String> fields) {

    /** Creates a change of everything but consent, language and what is the study's own. */
    public WantedChange(
        @Nullable String name,
        @Nullable String gender,
        @Nullable String ethnicity,
        @Nullable String background,
        @Nullable String timezone,
        @Nullable String status,
        @Nullable String reason) {
      this(
          name,
          gender,
          ethnicity,
          background,
          timezone,
          status,
          reason,
          null,
          null,
          null,
          Map.of());
    }

    /** Creates a change of the study id and the study's own fields. */
    public static WantedChange ofStudy(
        @Nullable String studyId, Map<String, String> fields, @Nullable String reason) {
      return new WantedChange(
          null, null, null, null, null, null, reason, null, null, studyId, fields);
    }
  }

  /**
   * Changes the given fields. Writes an audit entry if anything has changed.
   *
   * @throws ApiProblem 400 for input that is not accepted, 403 if a researcher withdraws a
   *     participant or undoes that, 404 if there is no such participant, 409 for a status that
   *     cannot follow the present one, or a study id that another participant has
   */
  public Participant change(Actor actor, String id, WantedChange wanted) {
    var why = reason(wanted.reason());
    var change =
        new ParticipantChange(
            newLabel("name", wanted.name()),
            newLabel("gender", wanted.gender()),
            newLabel("ethnicity", wanted.ethnicity()),
            newText("background", wanted.background()),
            wanted.timezone() == null ? null : zone(wanted.timezone().strip()),
            wanted.status() == null ? null : status(wanted.status()),
            version(wanted.consentVersion()),
            wanted.language() == null
                ? null
                : new NewText(language(participant(id).flow(), wanted.language())),
            null,
            wanted.studyId() == null ? null : new NewText(studyId(wanted.studyId())),
            wanted.fields().isEmpty()
                ? Map.of()
                : fields.changes(
                    wanted.fields(), participants.fields(participant(id).id()).keySet()));
    try {
      return transactions.write(() -> {
        participants.hold(id);
        var fieldsBefore = participants.fields(id);
        var updated = participants.update(id, change).orElseThrow(ApiProblem::noParticipant);
        if (actor.isResearcher() && isWithdrawal(updated.before(), updated.after())) {
          throw new ApiProblem(
              HttpStatus.FORBIDDEN,
              "status: withdrawing a participant, or undoing that, needs the role staff; the key or session has"
                  + " researcher.");
        }
        var fieldsAfter = participants.fields(id);
        if (!updated.after().equals(updated.before()) || !fieldsAfter.equals(fieldsBefore)) {
          audit.record(
              AuditEntry.of(actor.name(), actor.role(), AuditAction.PARTICIPANT_CHANGED)
                  .to(id)
                  .changed(
                      AuditedDetails.of(updated.before(), fieldsBefore).text(),
                      AuditedDetails.of(updated.after(), fieldsAfter).text())
                  .because(why));
        }
        return updated.after();
      });
    } catch (StatusRefused | StudyIdTaken e) {
      throw ApiProblem.conflict(String.valueOf(e.getMessage()));
    }
  }

  private static boolean isWithdrawal(Participant before, Participant after) {
    return before.status() != after.status()
        && (before.status() == ParticipantStatus.WITHDRAWN
            || after.status() == ParticipantStatus.WITHDRAWN);
  }

  private static @Nullable NewText newText(String field, @Nullable String text) {
    return text == null ? null : new NewText(text(field, text, LONG));
  }

  private static @Nullable NewText newLabel(String field, @Nullable String text) {
    return text == null ? null : new NewText(label(field, text));
  }

  private static ParticipantStatus status(String word) {
    return Arrays.stream(ParticipantStatus.values())
        .filter(status -> status.word().equals(word))
        .findFirst()
        .orElseThrow(() ->
            ApiProblem.bad(
                "status: unknown; expected one of "
                    + Arrays.stream(ParticipantStatus.values())
                        .map(ParticipantStatus::word)
                        .collect(Collectors.joining(", "))
                    + "."));
  }

  /**
   * Gives a participant another phone number. The audit log gets the last two digits of both.
   *
   * @param reason why, or blank
   * @throws ApiProblem 400 for an invalid number, 404 if there is no such participant, 409 for a
   *     number that is already enrolled
   */
  public Enrolled changeNumber(
      Actor actor, String id, @Nullable String phoneNumber, @Nullable String reason) {
    var phone = allowed(phoneNumber);
    var why = reason(reason);
    try {
      return transactions.write(() -> {
        var updated =
            participants.changeNumber(id, phone.number()).orElseThrow(ApiProblem::noParticipant);
        if (!updated.after().equals(updated.before())) {
          audit.record(
              AuditEntry.of(actor.name(), actor.role(), AuditAction.PHONE_NUMBER_CHANGED)
                  .to(id)
                  .changed(updated.before().phone().toString(), updated.after().phone().toString())
                  .because(why));
        }
        return new Enrolled(updated.after(), warnings(phone, updated));
      });
    } catch (AlreadyEnrolled e) {
      throw ApiProblem.conflict(String.valueOf(e.getMessage()));
    }
  }

  private static List<String> warnings(PhoneNumbers.Read phone, Participants.Updated updated) {
    var warnings = new ArrayList<>(warnings(phone, updated.after()));
    if (updated.before().optedOut() && !updated.after().optedOut()) {
      warnings.add(
          "phone_number: the old number opted out with STOP, but the new one did not, so it gets messages. If the"
              + " participant wants no more messages, set their status to withdrawn.");
    }
    return List.copyOf(warnings);
  }

  /**
   * Forgets the providers' ids that stand for a participant instead of their number.
   *
   * @throws ApiProblem 404 if there is no such participant, 409 if there is nothing to forget
   */
  public void forgetSenders(Actor actor, String id) {
    transactions.write(() -> {
      var forgotten = participants.forgetSenders(participant(id).id());
      if (forgotten == 0) {
        throw ApiProblem.conflict(
            "No unknown sender is matched to this participant, so there is nothing to remove.");
      }
      audit.record(
          AuditEntry.of(actor.name(), actor.role(), AuditAction.SENDERS_FORGOTTEN)
              .to(id)
              .changed(String.valueOf(forgotten), "0"));
    });
  }

  /**
   * Starts the erasure of a participant, or of a contact whom a script messaged without enrolment.
   *
   * @param reason why, or blank
   * @throws ApiProblem 400 for a reason that is not accepted, 404 if there is no such participant
   */
  public void erase(Actor actor, String id, boolean keepTranscript, @Nullable String reason) {
    var why = reason(reason);
    transactions.write(() -> {
      var leaving = participants.findWithContacts(id).orElseThrow(ApiProblem::noParticipant);
      audit.record(
          AuditEntry.of(actor.name(), actor.role(), AuditAction.PARTICIPANT_DELETED)
              .to(id)
              .changed(
                  leaving.status().word(), keepTranscript ? "transcript kept" : "everything erased")
              .because(why));
      if (!participants.leave(id, keepTranscript)) {
        throw ApiProblem.noParticipant();
      }
      return true;
    });
  }

  /**
   * Returns the participant with a number, written in any form that an enrolment accepts.
   *
   * @throws ApiProblem 400 for an invalid number, 404 if no participant has it
   */
  public Participant byPhone(String phoneNumber) {
    return participants
        .findByPhone(read(phoneNumber).number())
        .orElseThrow(() ->
            ApiProblem.notFound(
                "There is no participant with this number; POST /conversation/participants enrols one."));
  }

  /**
   * Returns a participant whose whole number is to be shown, and writes an audit entry.
   *
   * @throws ApiProblem 404 if there is no such participant
   */
  public Participant showNumber(Actor actor, String id) {
    return transactions.write(() -> {
      var participant = participant(id);
      audit.record(
          AuditEntry.of(actor.name(), actor.role(), AuditAction.PHONE_NUMBER_SHOWN)
              .to(participant.id()));
      return participant;
    });
  }

  /**
   * Returns a participant.
   *
   * @throws ApiProblem 404 if there is no such participant
   */
  public Participant participant(String id) {
    // PostgreSQL refuses a NUL character in a query.
    if (id.indexOf('\0') >= 0) {
      throw ApiProblem.noParticipant();
    }
    return participants.find(id).orElseThrow(ApiProblem::noParticipant);
  }

  /**
   * Locks a participant until the running transaction ends and returns them. What is stored about
   * them afterwards cannot outlive their erasure: one that began before is seen here, and one that
   * begins later waits.
   *
   * @throws ApiProblem 404 if there is no such participant, or they are being erased
   */
  public Participant held(String id) {
    if (id.indexOf('\0') < 0) {
      participants.hold(id);
    }
    return participant(id);
  }
}
