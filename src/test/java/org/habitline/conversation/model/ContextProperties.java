package org.habitline.conversation.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.habitline.RunningLine;
import org.habitline.Seeds;
import org.habitline.conversation.stored.Author;
import org.habitline.conversation.stored.Claim;
import org.habitline.conversation.stored.JdbcTranscript;
import org.habitline.conversation.stored.MessageRole;
import org.habitline.conversation.stored.PromptTexts;
import org.habitline.llm.ModelMessage;
import org.habitline.messaging.Lease;
import org.habitline.messaging.inbox.Input;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.storage.Ids;
import org.habitline.storage.Transactions;
import org.habitline.timers.OccurrenceReader;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The seven properties of seed 000, for what is loaded of a transcript in the real database and
 * what is built from it.
 */
final class ContextProperties {

  private static final int CASES = 120;
  private static final int LOADED = 20;
  private static final int SHOWN = 15;

  /** Some cases are a good deal longer than what is loaded. */
  private static final int LONGEST_TRANSCRIPT = 45;

  private static final List<String> PIECES =
      List.of(
          "walk",
          " ",
          "  ",
          "\n",
          "# Status\n",
          "(continue)",
          "🌿",
          "ß",
          "שלום",
          "{\"a\":",
          "\"}",
          "%s",
          "\\",
          "'",
          "0",
          "\u00a0",
          "{{daily_prompt.at}}");

  private static final String YAML =
      """
      id: talk
      initial_state: TALK
      modules:
        TALK:
          prompt: talk.txt
          tools: []
          load_limit: 20
          history_limit: 15
      texts:
        greeting_fallback: Hello.
        error_fallback: Sorry.
        help: Help.
        deletion_notice: Goodbye.
        opt_out_confirmation: Understood.
        resources: Call someone.
      """;

  private static RunningLine line;
  private static Participant robin;

  /** With -1, which must not show more than the module's own limit. */
  @BeforeAll
  static void start() {
    line =
        RunningLine.in(ContextProperties.class)
            .flow("talk", YAML)
            .with("chat.history-limit", "-1")
            .start();
    robin = line.enrolInto("talk");
    line.awaitTurn(robin, 1);
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  /**
   * What was generated, and what came of it.
   *
   * @param transcript what the database holds, oldest first
   * @param text what the participant says now
   */
  private record Case(List<LoadedContext.Message> transcript, String text, TurnContext context) {

    List<LoadedContext.Message> loaded() {
      return context.loaded().conversationHistory();
    }

    List<ModelMessage> messages() {
      return context.messages();
    }

    /** What stands between the system message and the new text. */
    List<ModelMessage> between() {
      return messages().subList(1, messages().size() - 1);
    }

    List<LoadedContext.Message> newest(int most) {
      return transcript.subList(Math.max(0, transcript.size() - most), transcript.size());
    }
  }

  private static void each(Consumer<Case> property) {
    Seeds.each(
        CASES,
        seed -> {
          var random = new SplittableRandom(seed);
          var transcript =
              IntStream.range(0, random.nextInt(LONGEST_TRANSCRIPT))
                  .mapToObj(n ->
                      new LoadedContext.Message(
                          random.nextBoolean() ? MessageRole.USER : MessageRole.ASSISTANT,
                          words(random)))
                  .toList();
          store(transcript);
          var text = words(random);
          property.accept(
              new Case(transcript, text, line.bean(ContextBuilder.class).build(said(text))));
        });
  }

  private static String words(SplittableRandom random) {
    var pieces = random.nextInt(20) == 0 ? 2_000 : 1 + random.nextInt(12);
    return IntStream.range(0, pieces)
        .mapToObj(n -> PIECES.get(random.nextInt(PIECES.size())))
        .collect(Collectors.joining());
  }

  private static void store(List<LoadedContext.Message> transcript) {
    line.write("DELETE FROM message WHERE participant_id = ?", robin.id());
    var rows = new ArrayList<JdbcTranscript.Row>();
    for (var message : transcript) {
      rows.add(
          new JdbcTranscript.Row(
              null,
              Ids.next("msg"),
              robin.id(),
              message.role(),
              message.content(),
              ChannelKind.SIMULATOR,
              1,
              message.role() == MessageRole.USER ? Author.PARTICIPANT : Author.BOT,
              line.study().instant().plusSeconds(rows.size()),
              null,
              null,
              false,
              false));
    }
    if (!rows.isEmpty()) {
      line.bean(Transactions.class)
          .write(() -> {
            line.bean(JdbcTranscript.class).saveAll(rows);
          });
    }
  }

  private static Claim said(String text) {
    Instant now = line.study().instant();
    return new Claim(
        new Lease(robin.id(), 1, false),
        robin,
        2,
        1,
        false,
        List.of(new Input.Said(1, text, null, ChannelKind.SIMULATOR, now)),
        new Claim.Pinned(List.of(1L), now.toString(), "TALK", PromptTexts.Pins.NONE, "TALK"),
        new Claim.State(
            Map.of(),
            new Claim.Counters(0, 0, null),
            line.bean(OccurrenceReader.class).standing(robin),
            null,
            new Claim.Staff(null, null, null, null),
            false));
  }

  private static MessageRole role(ModelMessage message) {
    return switch (message) {
      case ModelMessage.UserText text -> MessageRole.USER;
      case ModelMessage.AssistantText text -> MessageRole.ASSISTANT;
      case ModelMessage.SystemText text -> throw new AssertionError("a second system message");
      case ModelMessage.ToolResult result -> throw new AssertionError("a tool's result");
    };
  }

  /** Property 1. */
  @Test
  void theFirstMessageIsTheSystemsAndTheLastTheParticipantsText() {
    each(one -> {
      assertThat(one.messages().getFirst()).isInstanceOf(ModelMessage.SystemText.class);
      assertThat(one.messages().getLast()).isEqualTo(new ModelMessage.UserText(one.text()));
    });
  }

  /** Property 2. */
  @Test
  void theNewestFifteenAtMostStandBetweenThem() {
    each(one ->
        assertThat(one.between())
            .hasSize(Math.min(SHOWN, one.transcript().size()))
            .extracting(ModelMessage::content)
            .containsExactlyElementsOf(
                one.newest(SHOWN).stream().map(LoadedContext.Message::content).toList()));
  }

  /** Property 3. */
  @Test
  void everyMessageKeepsItsRole() {
    each(one ->
        assertThat(one.between())
            .extracting(ContextProperties::role)
            .containsExactlyElementsOf(
                one.newest(SHOWN).stream().map(LoadedContext.Message::role).toList()));
  }

  /** Property 4. */
  @Test
  void theNewestTwentyAtMostAreLoadedOldestFirst() {
    each(one ->
        assertThat(one.loaded())
            .hasSize(Math.min(LOADED, one.transcript().size()))
            .containsExactlyElementsOf(one.newest(LOADED)));
  }

  /** Property 5. */
  @Test
  void whatIsLoadedHasExactlyRoleAndContent() {
    assertThat(LoadedContext.Message.class.getRecordComponents())
        .extracting(component -> component.getName())
        .containsExactly("role", "content");
    each(one -> assertThat(one.transcript()).containsAll(one.loaded()));
  }

  /** Property 6. */
  @Test
  void bothLimitsKeepTheNewestInTheirOrder() {
    each(one -> {
      assertThat(one.transcript()).endsWith(one.loaded().toArray(LoadedContext.Message[]::new));
      var shown =
          one.between().stream()
              .map(it -> new LoadedContext.Message(role(it), String.valueOf(it.content())))
              .toArray(LoadedContext.Message[]::new);
      assertThat(one.loaded()).endsWith(shown);
    });
  }

  /** Property 7. */
  @Test
  void noContentIsEverAltered() {
    each(one -> {
      var contents = one.transcript().stream().map(LoadedContext.Message::content).toList();
      assertThat(one.loaded()).allSatisfy(message -> assertThat(message.content()).isIn(contents));
      assertThat(one.between()).allSatisfy(message -> assertThat(message.content()).isIn(contents));
      assertThat(one.messages().getLast().content()).isEqualTo(one.text());
    });
  }

  /** The seed's own query would return the oldest twenty. */
  @Test
  void ofThirtyMessagesAModelReadsTheNewestFifteen() {
    store(
        IntStream.rangeClosed(1, 30)
            .mapToObj(n ->
                new LoadedContext.Message(
                    n % 2 == 0 ? MessageRole.ASSISTANT : MessageRole.USER, "message " + n))
            .toList());
    line.fake().forget();
    line.answered(robin, "message 31");
    var asked = line.fake().asked().getLast().messages();
    assertThat(asked.subList(1, asked.size()))
        .extracting(message -> message.path("content").asText())
        .containsExactlyElementsOf(
            IntStream.rangeClosed(16, 31).mapToObj(n -> "message " + n).toList());
  }
}
