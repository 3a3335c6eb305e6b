package org.habitline.staff.participant;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.audit.Events;
import org.habitline.conversation.stored.ProfileWriter;
import org.habitline.conversation.stored.Situation;
import org.habitline.conversation.stored.StateReader;
import org.habitline.flows.FieldType;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowCatalog;
import org.habitline.flows.ProfileField;
import org.habitline.participants.Participant;
import org.habitline.staff.people.EnrolmentDesk;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.tools.Effect;
import org.habitline.tools.Profile;
import org.habitline.tools.ProfileEdit;
import org.habitline.tools.UnreadableProfile;
import org.jspecify.annotations.Nullable;

/**
 * Changes fields of a participant's profile for staff, for the page and the REST API, by the rules
 * that bind the coach. A change, its entries in the history and in the audit log are one
 * transaction, and no turn of the participant runs meanwhile; the next turn is shown the new value.
 */
@Singleton
final class ProfileDesk {

  /** Begins the name of a field in a form and in a problem. */
  static final String FIELD = "fields.";

  /** Begins the name under which a form says what it showed. */
  static final String SEEN = "seen.";

  private final EnrolmentDesk desk;
  private final StateReader states;
  private final ProfileWriter profiles;
  private final FlowCatalog flows;
  private final QuietChanges quiet;
  private final AuditLog audit;
  private final Events events;
  private final Clock clock;

  ProfileDesk(
      EnrolmentDesk desk,
      StateReader states,
      ProfileWriter profiles,
      FlowCatalog flows,
      QuietChanges quiet,
      AuditLog audit,
      Events events,
      Clock clock) {
    this.desk = desk;
    this.states = states;
    this.profiles = profiles;
    this.flows = flows;
    this.quiet = quiet;
    this.audit = audit;
    this.events = events;
    this.clock = clock;
  }

  /**
   * What staff want to change.
   *
   * @param values by field; a JSON null empties one
   * @param seen by field, the value that the form showed. A field that has another one by now is
   *     refused; REST sends none
   */
  record Wanted(Map<String, JsonNode> values, Map<String, String> seen, @Nullable String reason) {}

  /** What became of a change. */
  sealed interface Outcome {

    /**
     * The change was made.
     *
     * @param changed the fields that have another value now
     * @param notes what the flow's rules made of other values
     */
    record Saved(List<String> changed, List<String> notes) implements Outcome {}

    /** Nothing was changed; there is one problem for each field. */
    record Refused(List<ApiProblem> problems) implements Outcome {}
  }

  /**
   * Changes fields.
   *
   * @throws ApiProblem 400 for a reason that is not accepted, 404 if there is no such participant,
   *     409 if their flow is gone, their profile cannot be read, or a turn is running
   */
  Outcome change(Actor actor, String id, Wanted wanted) {
    var why = EnrolmentDesk.reason(wanted.reason());
    return quiet.make(
        id,
        (participant, situation) -> {
          var flow = flow(participant);
          var before = read(situation);
          var stale = stale(flow, before, wanted);
          if (!stale.isEmpty()) {
            return new Outcome.Refused(stale);
          }
          var now = clock.instant();
          var today = now.atZone(participant.zone()).toLocalDate();
          return switch (ProfileEdit.edit(flow, before, wanted.values(), today, now)) {
            case ProfileEdit.Edited.Refused(var problems) ->
                new Outcome.Refused(
                    problems.entrySet().stream()
                        .map(it -> problem(flow, it.getKey(), it.getValue()))
                        .toList());
            case ProfileEdit.Edited.Accepted accepted -> {
              if (!accepted.changes().isEmpty()) {
                profiles.write(situation, accepted.profile(), accepted.changes(), actor.name());
                recorded(actor, id, accepted, why);
              }
              yield new Outcome.Saved(
                  accepted.changes().stream().map(Effect.Change::field).toList(), accepted.notes());
            }
          };
        });
  }

  /**
   * Gives a field the value back that it had before a change.
   *
   * @throws ApiProblem 404 if there is no such participant or change, 409 if the flow has no such
   *     field any more or a turn is running
   */
  Outcome restore(Actor actor, String id, long change, @Nullable String reason) {
    var participant = desk.participant(id);
    var made =
        states
            .profileChange(id, change)
            .orElseThrow(() -> ApiProblem.notFound("There is no such change of the profile."));
    var field =
        fields(participant).stream()
            .filter(it -> it.name().equals(made.field()))
            .findFirst()
            .orElseThrow(
                () -> ApiProblem.conflict("The flow no longer has this field of the profile."));
    var value = made.before() == null ? NullNode.getInstance() : made.before();
    return change(
        actor, id, new Wanted(Map.of(field.name(), asList(field, value)), Map.of(), reason));
  }

  /** A text that was saved before the field became a list stays one entry without a date. */
  private static JsonNode asList(ProfileField field, JsonNode value) {
    if (!(field.type() instanceof FieldType.Entries) || !value.isTextual()) {
      return value;
    }
    var list = JsonNodeFactory.instance.arrayNode();
    list.addObject().set("text", value);
    return list;
  }

  private void recorded(
      Actor actor, String id, ProfileEdit.Edited.Accepted accepted, @Nullable String why) {
    for (var change : accepted.changes()) {
      audit.record(
          AuditEntry.of(actor.name(), actor.role(), AuditAction.PROFILE_CHANGED)
              .to(id)
              .about(change.field())
              .changed(text(change.before()), text(change.after()))
              .because(why));
    }
    for (var flag : accepted.raised()) {
      audit.record(
          AuditEntry.of(actor.name(), actor.role(), AuditAction.PARTICIPANT_FLAGGED)
              .to(id)
              .changed(null, flag));
    }
    events.emit("participant.changed", id, Map.of("what", "profile"));
  }

  private static @Nullable String text(JsonNode value) {
    return value.isNull() ? null : ProfileTexts.shown(value);
  }

  /** Returns a problem for each field that changed since the form was shown. */
  private static List<ApiProblem> stale(Flow flow, Profile before, Wanted wanted) {
    var problems = new ArrayList<ApiProblem>();
    for (var name : wanted.values().keySet()) {
      var seen = wanted.seen().get(name);
      var now = stored(before, name);
      if (seen != null && !seen.equals(now)) {
        problems.add(
            problem(
                flow,
                name,
                "Changed by someone else while this page was open. It is now %s. Check your value and save again."
                    .formatted(now.isEmpty() ? "empty" : "“" + now.replace("\n", "; ") + "”")));
      }
    }
    return problems;
  }

  /** Returns the stored value of a field as a form shows it, or empty. */
  static String stored(Profile profile, String field) {
    return Optional.ofNullable(profile.fields().get(field))
        .map(ProfileTexts::shown)
        .map(ProfileTexts::tidy)
        .orElse("");
  }

  /** The name of an unknown field is not repeated: it may be a person's data. */
  private static ApiProblem problem(Flow flow, String field, String sentence) {
    var known = flow.profile().stream().map(ProfileField::name).toList();
    return ApiProblem.bad(
        known.contains(field)
            ? FIELD + field + ": " + sentence
            : "fields: unknown field; expected one of " + String.join(", ", known) + ".");
  }

  /** Returns the problem of a field, to show beside it, or empty. */
  static String beside(List<ApiProblem> problems, String field) {
    return problems.stream()
        .filter(it -> it.field().equals(Optional.of(FIELD + field)))
        .map(ApiProblem::besideField)
        .findFirst()
        .orElse("");
  }

  /** Returns what a form wants to change: only fields that were changed in it. */
  Wanted wanted(Participant participant, Map<String, String> form) {
    var values = new TreeMap<String, JsonNode>();
    var seen = new TreeMap<String, String>();
    for (var field : fields(participant)) {
      var entered = form.get(FIELD + field.name());
      var was = ProfileTexts.tidy(form.getOrDefault(SEEN + field.name(), ""));
      if (entered != null && !ProfileTexts.tidy(entered).equals(was)) {
        values.put(field.name(), ProfileTexts.read(field.type(), entered, was));
        seen.put(field.name(), was);
      }
    }
    return new Wanted(values, seen, form.get("reason"));
  }

  /** Returns the fields of the participant's flow; none if the flow is gone. */
  List<ProfileField> fields(Participant participant) {
    return flows.flow(participant.flow()).map(Flow::profile).orElse(List.of());
  }

  private Flow flow(Participant participant) {
    return flows
        .flow(participant.flow())
        .orElseThrow(() -> ApiProblem.conflict("The flow of this participant no longer exists."));
  }

  private Profile read(Situation situation) {
    try {
      return profiles.read(situation);
    } catch (UnreadableProfile e) {
      throw ApiProblem.conflict("What is stored about the participant cannot be read.");
    }
  }
}
