package org.habitline.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowCatalog;
import org.habitline.timers.Agenda;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** What a profile keeps: entries with dates, archived values, and which values nobody chose. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KeptProfileTest {

  private static final String YAML =
      """
      id: kept
      initial_state: LEARN
      tone: true
      modules:
        LEARN:
          prompt: talk.txt
          tools: [save_user_profile, write_data]
          fields: [notes, anchor, level]
        LATER:
          prompt: talk.txt
          tools: [save_user_profile]
      profile:
        notes: {appends: true, entries: 2, max_length: 20, description: Notes.}
        anchor: {description: Moment., archives: [barrier, tweak, notes]}
        kind: {description: Kind., archives: [barrier]}
        barrier: {description: Barrier.}
        tweak: {description: Tweak.}
        level: {type: choice, values: [low, normal], default: normal, description: Level.}
        reason: {description: Reason., ask_after_success: true}
      texts:
        greeting_fallback: Hello.
        error_fallback: Sorry.
        help: Help.
        deletion_notice: Goodbye.
        opt_out_confirmation: Understood.
        resources: Call someone.
      """;

  private final ToolCatalog tools =
      new ToolCatalog(List.of(new SaveUserProfile(), new WriteData(), new FlagForStaff()));
  private final SaveUserProfile save = new SaveUserProfile();
  private Flow flow;

  @BeforeAll
  void read(@TempDir Path home) throws IOException {
    Files.createDirectories(home.resolve("config/flows/kept"));
    Files.createDirectories(home.resolve("prompts"));
    Files.writeString(home.resolve("config/flows/kept/flow.yaml"), YAML);
    Files.writeString(home.resolve("prompts/talk.txt"), "Talk.");
    flow = new FlowCatalog(home, "kept", tools, Optional.empty(), text -> false).defaultFlow();
  }

  private ToolOutcome save(Profile profile, String arguments) {
    return save.call(Habit.run(flow, "LEARN", profile, "unasked"), Habit.json(arguments));
  }

  private static Profile saved(ToolOutcome outcome) {
    assertThat(outcome.result().path("status").asText()).isEqualTo("success");
    return ((Effect.SaveProfile) outcome.effects().getFirst()).profile();
  }

  private static String shown(Profile profile, String field) {
    return String.valueOf(profile.fields().get(field));
  }

  private static Profile with(Map<String, String> values) {
    return Habit.profile(values);
  }

  @Test
  void aSaveAddsAnEntryWithItsDateAndKeepsTheOnesBefore() {
    var one = saved(save(with(Map.of()), "{\"notes\":\"bad knee\"}"));
    var two = saved(save(one, "{\"notes\":\"likes music\"}"));
    assertThat(shown(two, "notes"))
        .isEqualTo(
            """
            [{"date":"2026-11-21","text":"bad knee"},{"date":"2026-11-21","text":"likes music"}]\
            """);
  }

  @Test
  void theDateIsThatOfThePersonsZone() {
    var copy = Habit.copy(with(Map.of()));
    var there =
        new WorkingCopy(
            "LEARN",
            null,
            copy.profile(),
            null,
            null,
            Agenda.empty(ZoneId.of("Pacific/Auckland")),
            Records.NONE);
    var evening = Instant.parse("2026-11-21T20:00:00Z");
    var run = Habit.run(flow, there, evening, Habit.saying("unasked"));
    var outcome = save.call(run, Habit.json("{\"notes\":\"bad knee\"}"));
    assertThat(shown(saved(outcome), "notes")).contains("2026-11-22");
  }

  @Test
  void theSameTextAgainIsNoChange() {
    var one = saved(save(with(Map.of()), "{\"notes\":\"bad knee\"}"));
    assertThat(save(one, "{\"notes\":\" bad  knee\"}").result().path("status").asText())
        .isEqualTo("noop");
  }

  @Test
  void aFullFieldSavesNothingAndSaysWhatCanBeDone() {
    var one = saved(save(with(Map.of()), "{\"notes\":\"bad knee\"}"));
    var full = saved(save(one, "{\"notes\":\"likes music\"}"));

    var refused = save(full, "{\"notes\":\"has a dog\",\"level\":\"low\"}");

    assertThat(refused.failed()).isTrue();
    assertThat(refused.effects()).isEmpty();
    assertThat(refused.result().path("field").asText()).isEqualTo("notes");
    assertThat(refused.result().path("message").asText())
        .contains("notes is full: it holds 2 entries", "Nothing of this call was saved")
        .contains("clear_fields");
    var replaced = "{\"notes\":\"knee, dog\",\"clear_fields\":[\"notes\"]}";
    var again = save(full, replaced);
    assertThat(shown(saved(again), "notes"))
        .isEqualTo("[{\"date\":\"2026-11-21\",\"text\":\"knee, dog\"}]");
    assertThat(save(saved(again), replaced).result().path("status").asText()).isEqualTo("noop");
    var change = ((Effect.SaveProfile) again.effects().getFirst()).changes().getFirst();
    assertThat(change.before().toString()).contains("bad knee", "likes music");
  }

  @Test
  void anEntryThatIsTooLongIsRefused() {
    assertThat(save(with(Map.of()), "{\"notes\":\"" + "x".repeat(21) + "\"}").failed()).isTrue();
  }

  @Test
  void aTextOfAnOlderVersionIsTheFirstEntry() {
    var old = with(Map.of("notes", "bad knee"));
    assertThat(ProfileStatus.line(flow, old)).contains("\"notes\":\"bad knee\"");
    assertThat(shown(saved(save(old, "{\"notes\":\"dog\"}")), "notes"))
        .isEqualTo("[{\"text\":\"bad knee\"},{\"date\":\"2026-11-21\",\"text\":\"dog\"}]");
  }

  @Test
  void theFormAddsEntriesToo() {
    var write = new WriteData();
    var one = saved(save(with(Map.of()), "{\"notes\":\"bad knee\"}"));
    var given = Habit.json("{\"field_name\":\"notes\",\"value\":\"dog\"}");
    var two = saved(write.call(Habit.run(flow, "LEARN", one, "unasked"), given));
    assertThat(shown(two, "notes")).contains("bad knee", "dog");
    var more = Habit.json("{\"field_name\":\"notes\",\"value\":\"music\"}");
    var refused = write.call(Habit.run(flow, "LEARN", two, "unasked"), more);
    assertThat(refused.result().path("message").asText())
        .contains("notes is full", "Save it in another field");
  }

  @Test
  void theToolsSayWhichFieldsAreReplaced() {
    var learn = flow.module("LEARN").orElseThrow();
    assertThat(save.spec(flow, learn).description())
        .contains("in place of what it held", "notes instead gets one dated entry more");
    assertThat(new WriteData().spec(flow, learn).description())
        .contains("in place of what it held", "notes instead gets one dated entry more");
    assertThat(save.spec(Habit.flow(), Habit.module()).description())
        .contains("in place of what it held")
        .doesNotContain("entry");
  }

  @Test
  void aChangeArchivesWhatDescribedTheOldValue() {
    var before =
        with(Map.of("anchor", "coffee", "barrier", "no time", "tweak", "shorter", "level", "low"));

    var outcome = save(before, "{\"anchor\":\"lunch\"}");
    var after = saved(outcome);

    assertThat(after.fields()).isEqualTo(Habit.values(Map.of("anchor", "lunch", "level", "low")));
    assertThat(after.archived())
        .isEqualTo(
            Map.of("barrier", List.of(archived("no time")), "tweak", List.of(archived("shorter"))));
    assertThat(outcome.result().path("changed"))
        .extracting(JsonNode::asText)
        .containsExactly("anchor", "barrier", "tweak");
    assertThat(outcome.result().path("notes").toString())
        .contains("anchor changed, so what was saved in barrier, tweak was archived.");
    assertThat(ProfileStatus.line(flow, after)).doesNotContain("no time", "shorter", "archived");
    var json = new ProfileJson().tree(flow, after);
    assertThat(json.at("/archived/barrier/0").toString())
        .isEqualTo("{\"archived_at\":\"2026-11-21T07:15:00Z\",\"value\":\"no time\"}");
    assertThat(new ProfileJson().read(new ProfileJson().write(after))).isEqualTo(after);
  }

  private static Profile.Archived archived(String text) {
    return new Profile.Archived(TextNode.valueOf(text), Habit.NOW);
  }

  @Test
  void whatTheSameCallSaysAnewIsAboutTheNewValue() {
    var before = with(Map.of("anchor", "coffee", "barrier", "no time"));
    var after = saved(save(before, "{\"anchor\":\"lunch\",\"barrier\":\"meetings\"}"));
    assertThat(after.fields())
        .isEqualTo(Habit.values(Map.of("anchor", "lunch", "barrier", "meetings")));
    assertThat(after.archived()).isEqualTo(Map.of("barrier", List.of(archived("no time"))));
  }

  @Test
  void aFirstValueAndTheSameValueArchiveNothing() {
    var barrier = with(Map.of("barrier", "no time"));
    var first = saved(save(barrier, "{\"anchor\":\"lunch\"}"));
    assertThat(first.archived()).isEmpty();
    assertThat(first.fields()).containsKey("barrier");
    var same = saved(save(first, "{\"anchor\":\"lunch\",\"level\":\"low\"}"));
    assertThat(same.archived()).isEmpty();
  }

  @Test
  void anEmptiedFieldArchivesToo() {
    var before = with(Map.of("anchor", "coffee", "barrier", "no time"));
    var after = saved(save(before, "{\"clear_fields\":[\"anchor\"]}"));
    assertThat(after.fields()).isEmpty();
    assertThat(after.archived()).containsOnlyKeys("barrier");
  }

  @Test
  void theNewestArchivedValuesAreKept() {
    var profile = with(Map.of("anchor", "moment 0"));
    for (int n = 1; n <= Profile.MOST_ARCHIVED + 3; n++) {
      var barrier = new HashMap<>(profile.fields());
      barrier.put("barrier", TextNode.valueOf("barrier " + n));
      var known =
          new Profile(
              barrier,
              Map.of(),
              profile.archived(),
              0,
              0,
              Tone.unknown(),
              Habit.NOW,
              Habit.NOW.plus(Duration.ofDays(n)));
      profile = saved(save(known, "{\"anchor\":\"moment " + n + "\"}"));
    }
    assertThat(profile.archived().get("barrier"))
        .hasSize(Profile.MOST_ARCHIVED)
        .startsWith(archived("barrier 4"))
        .endsWith(archived("barrier " + (Profile.MOST_ARCHIVED + 3)));
  }

  @Test
  void whatNobodyChoseIsShownAsADefault() {
    var unsaid = with(Map.of("anchor", "lunch"));
    assertThat(ProfileStatus.line(flow, unsaid))
        .isEqualTo("{\"anchor\":\"lunch\",\"defaults\":{\"level\":\"normal\"}}");
    var said = with(Map.of("anchor", "lunch", "level", "normal"));
    assertThat(ProfileStatus.line(flow, said))
        .isEqualTo("{\"anchor\":\"lunch\",\"level\":\"normal\"}");
  }

  @Test
  void aModuleOffersOnlyTheFieldsItNames() {
    assertThat(offered("LEARN")).containsExactly("notes", "anchor", "level", "clear_fields");
    assertThat(offered("LATER"))
        .containsExactly(
            "notes",
            "anchor",
            "kind",
            "barrier",
            "tweak",
            "level",
            "reason",
            "tone_tags",
            "tone_update_source",
            "tone_confidence",
            "clear_fields");
    assertThat(
            new WriteData()
                .spec(flow, flow.module("LEARN").orElseThrow())
                .schema()
                .at("/properties/field_name/enum")
                .toString())
        .isEqualTo("[\"notes\",\"anchor\",\"level\"]");
    // A model that is not held to the schema loses nothing of what it was told.
    assertThat(saved(save(with(Map.of()), "{\"barrier\":\"no time\"}")).fields())
        .containsKey("barrier");
  }

  private List<String> offered(String module) {
    return save
        .spec(flow, flow.module(module).orElseThrow())
        .schema()
        .path("properties")
        .properties()
        .stream()
        .map(Map.Entry::getKey)
        .toList();
  }

  @Test
  void aFieldIsAskedForAfterTheFirstSuccessWhereItIsOffered() {
    var later = flow.module("LATER").orElseThrow();
    var none = with(Map.of());
    assertThat(ProfileStatus.toAskNow(flow, later, none)).isEmpty();
    var success = none.counted(1, 2);
    assertThat(ProfileStatus.toAskNow(flow, later, success)).containsExactly("reason");
    assertThat(ProfileStatus.toAskNow(flow, flow.module("LEARN").orElseThrow(), success)).isEmpty();
    var told = with(Map.of("reason", "energy")).counted(1, 2);
    assertThat(ProfileStatus.toAskNow(flow, later, told)).isEmpty();
  }
}
