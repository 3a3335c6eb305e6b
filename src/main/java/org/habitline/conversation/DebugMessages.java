package org.habitline.conversation;

import com.fasterxml.jackson.databind.JsonNode;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.habitline.conversation.stored.JdbcStates;
import org.habitline.conversation.stored.StateKeys;
import org.habitline.conversation.stored.TurnJson;
import org.habitline.conversation.turn.Closing;
import org.habitline.flows.FlowCatalog;
import org.habitline.tools.Effect;
import org.habitline.tools.Profile;
import org.habitline.tools.ProfileJson;
import org.habitline.tools.ProfileStatus;
import org.habitline.tools.UnreadableProfile;

/**
 * Writes the debug message of a turn, for people who try the service out (seed 003): module,
 * profile, success counters, tools. It is not in the transcript, and no model ever sees it.
 */
@Singleton
final class DebugMessages {

  private static final String MARK = DebugMode.MARK + " ";

  /** Shown by themselves. */
  private static final Set<String> COUNTERS = Set.of("success_count", "total_prompts");

  /**
   * Longest value of a profile field, in code points; longer ones would split the message into
   * several SMS.
   */
  private static final int VALUE_AT_MOST = 40;

  private final FlowCatalog flows;
  private final ProfileJson profiles;
  private final JdbcStates states;
  private final DebugSettings settings;
  private final Clock systemClock;

  DebugMessages(
      FlowCatalog flows,
      ProfileJson profiles,
      JdbcStates states,
      DebugSettings settings,
      @Named("system") Clock systemClock) {
    this.flows = flows;
    this.profiles = profiles;
    this.states = states;
    this.settings = settings;
    this.systemClock = systemClock;
  }

  /**
   * Returns the debug message of a turn that is being committed, or empty if debug messages are
   * off, the coach took no part, or nothing was received or sent. Contacts, whom only scripts
   * message, get none.
   */
  Optional<String> of(Closing closing) {
    var claim = closing.claim();
    var wanted = settings.debug() || claim.state().staff().debugs(systemClock.instant());
    var something =
        switch (closing.outcome()) {
          case NOT_FOR_THE_COACH, DROPPED, BRAKED -> false;
          default -> !closing.texts().isEmpty() || !claim.said().isEmpty();
        };
    return wanted && something && !claim.participant().contact() && !claim.isInDanger()
        ? Optional.of(text(closing))
        : Optional.empty();
  }

  private String text(Closing closing) {
    var claim = closing.claim();
    var counters =
        states
            .counters(claim.participant().id())
            .map(it -> it.successCount() + " of " + it.totalPrompts() + " prompts done")
            .orElse("no prompt yet");
    return MARK
        + String.join(
            "; ",
            "turn " + claim.turn() + " " + closing.outcome().word(),
            "module " + states(closing),
            profile(closing),
            counters,
            "tools: " + tools(closing));
  }

  private String profile(Closing closing) {
    var claim = closing.claim();
    var flow = flows.flow(claim.participant().flow());
    try {
      var profile =
          saved(closing)
              .or(() ->
                  Optional.ofNullable(claim.data().get(StateKeys.USER_PROFILE)).map(profiles::read))
              .orElseGet(() -> profiles.empty(claim.pinned().instant()));
      return flow.map(it ->
              fields(profiles.tree(it, profile)) + missing(ProfileStatus.missing(it, profile)))
          .orElseGet(() -> fields(profiles.tree(profile)));
    } catch (UnreadableProfile e) {
      return "profile unreadable";
    }
  }

  private static Optional<Profile> saved(Closing closing) {
    return closing.effects().stream()
        .filter(Effect.SaveProfile.class::isInstance)
        .map(effect -> ((Effect.SaveProfile) effect).profile())
        .reduce((first, second) -> second);
  }

  private static String missing(List<String> missing) {
    return missing.isEmpty() ? "" : "; missing: " + String.join(", ", missing);
  }

  private static String states(Closing closing) {
    var before = closing.claim().pinned().module();
    return closing.effects().stream()
        .filter(Effect.MoveState.class::isInstance)
        .map(effect -> before + " → " + ((Effect.MoveState) effect).to())
        .findFirst()
        .orElse(before);
  }

  private static String fields(JsonNode profile) {
    var fields =
        profile.properties().stream()
            .filter(field -> !field.getKey().endsWith("_at") && !field.getValue().isObject())
            .filter(field -> !COUNTERS.contains(field.getKey()))
            .map(field -> field.getKey() + "=" + shortened(shown(field.getValue())))
            .collect(Collectors.joining(", "));
    return "profile: " + (fields.isEmpty() ? "empty" : fields);
  }

  private static String shown(JsonNode value) {
    return value.isValueNode() ? value.asText() : value.toString();
  }

  private static String shortened(String value) {
    return value.codePointCount(0, value.length()) <= VALUE_AT_MOST
        ? value
        : value.substring(0, value.offsetByCodePoints(0, VALUE_AT_MOST)) + "…";
  }

  private static String tools(Closing closing) {
    var calls =
        closing.journal().ended().stream()
            .flatMap(iteration -> iteration.toolCalls().stream())
            .map(call -> call.name() + " " + TurnJson.status(call.result()))
            .collect(Collectors.joining(", "));
    return calls.isEmpty() ? "none" : calls;
  }
}
