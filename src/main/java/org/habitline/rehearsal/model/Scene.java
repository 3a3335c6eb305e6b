package org.habitline.rehearsal.model;

import static org.habitline.rehearsal.model.Clause.rule;

import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.habitline.llm.ModelMessage;
import org.habitline.llm.ModelRequest;
import org.habitline.llm.Section;

/**
 * The state of a conversation, as read from a turn's request.
 *
 * @param said the coach's earlier messages, newest first
 * @param texts the participant's newest texts, which have no reply yet
 * @param joined whether the participant has just been enrolled and has not texted
 * @param checkIn the question to ask because the participant has not replied
 * @param intensity the level that answers the intensity question
 * @param zone time zone of the place that they last said they are in
 * @param example the nudge shown as an example: the one shown before, or one chosen by the
 *     request's content
 * @param resources where to get help in a crisis, as the module's prompt says
 * @param usual the default time of a daily prompt, if the module's prompt names it
 */
record Scene(
    Status status,
    List<String> said,
    List<String> texts,
    Heard heard,
    boolean joined,
    Optional<Cue.Given> checkIn,
    Optional<String> intensity,
    Optional<String> zone,
    Toolbox tools,
    String example,
    String resources,
    Optional<LocalTime> usual) {

  private static final String JOINED = "has just joined";
  private static final Map<String, Cue.Given> CHECK_INS =
      Map.of(
          "has not replied", new Cue.Given(Cue.CHECK_IN, false),
          "has still not replied", new Cue.Given(Cue.CHECK_IN, true));
  private static final String INTENSITY_QUESTION = "intensity";
  private static final int A_FEW_TEXTS = 4;
  private static final Pattern LEVEL = rule("^(low|normal|high)[\\s.!]*$");
  private static final Pattern USUAL =
      Pattern.compile("(?:[01]\\d|2[0-3]):[0-5]\\d(?=,? the\\s+usual\\s+time)");
  private static final Pattern ANSWER_ONLY = rule("answer only with this(?: text)?: ");

  static Scene of(ModelRequest request) {
    var event = Section.EVENT.in(request);
    var turn = turn(request.messages(), event.isPresent());
    var said = said(turn.before());
    var texts = turn.texts();
    var heard = Heard.of(texts);
    var tools = new Toolbox(request.tools());
    return new Scene(
        Status.of(request),
        said,
        texts,
        heard,
        event.filter(it -> it.contains(JOINED)).isPresent(),
        texts.isEmpty() ? event.flatMap(Scene::checkIn) : Optional.empty(),
        said.stream().limit(A_FEW_TEXTS).anyMatch(Scene::asksForIntensity)
            ? texts.stream().flatMap(text -> level(text).stream()).reduce((one, later) -> later)
            : Optional.empty(),
        tools.has(Act.SCHEDULE) ? zone(turn.before(), heard) : Optional.empty(),
        tools,
        example(request, said),
        resources(Status.systemTexts(request)),
        usual(Status.systemTexts(request)));
  }

  /** Returns the cue in the newest message, or empty if that message is not the script's. */
  Optional<Cue.Given> newest() {
    return said.stream().findFirst().flatMap(Cue::in);
  }

  /** Returns the script's last cue, whatever messages followed it. */
  Optional<Cue.Given> pending() {
    return said.stream().flatMap(text -> Cue.in(text).stream()).findFirst();
  }

  boolean asked(Cue cue) {
    return said.stream().anyMatch(text -> cue.texts().stream().anyMatch(text::contains));
  }

  /**
   * Returns whether the newest message came with a daily prompt, so that no question of the script
   * is open.
   */
  boolean promptIsNewest() {
    return status.dailyPrompt().isPresent() && !said.isEmpty() && newest().isEmpty();
  }

  /** Returns whether they want no more daily prompts, and not just another time for them. */
  boolean endsPrompts() {
    return schedules()
        && heard.means(Meaning.NO_PROMPTS)
        && !(heard.facts().containsKey(Field.TIME) && heard.means(Meaning.CORRECTION));
  }

  boolean schedules() {
    return tools.has(Act.SCHEDULE);
  }

  private static boolean asksForIntensity(String text) {
    return text.toLowerCase(Locale.ROOT).contains(INTENSITY_QUESTION);
  }

  private static Optional<String> level(String text) {
    var found = LEVEL.matcher(text.strip());
    return found.matches()
        ? Optional.of(found.group(1).toLowerCase(Locale.ROOT))
        : Optional.empty();
  }

  private static Optional<Cue.Given> checkIn(String event) {
    return CHECK_INS.entrySet().stream()
        .filter(asked -> event.contains(asked.getKey()))
        .map(Map.Entry::getValue)
        .findFirst();
  }

  private static Optional<String> zone(List<ModelMessage> before, Heard heard) {
    return heard
        .zone()
        .or(() ->
            before.reversed().stream()
                .filter(ModelMessage.UserText.class::isInstance)
                .flatMap(text -> Clause.of(String.valueOf(text.content())).reversed().stream())
                .flatMap(clause -> Places.in(clause.text()).stream())
                .map(Places.Told::zone)
                .findFirst());
  }

  private record Turn(List<ModelMessage> before, List<String> texts) {}

  /**
   * Splits the messages into the participant's newest texts, which have no reply yet, and the
   * messages before them. After an event there may be no new texts: texts before a reply have been
   * replied to.
   */
  private static Turn turn(List<ModelMessage> messages, boolean happened) {
    var texts = new ArrayList<String>();
    var end = messages.size();
    while (end > 0 && !(messages.get(end - 1) instanceof ModelMessage.UserText)) {
      if (happened && speaks(messages.get(end - 1))) {
        return new Turn(messages.subList(0, end), List.of());
      }
      end--;
    }
    while (end > 0 && messages.get(end - 1) instanceof ModelMessage.UserText text) {
      texts.addFirst(text.content());
      end--;
    }
    return new Turn(messages.subList(0, end), List.copyOf(texts));
  }

  private static List<String> said(List<ModelMessage> before) {
    var said = new ArrayList<String>();
    for (var message : before) {
      if (message instanceof ModelMessage.AssistantText(String content, var calls)
          && content != null
          && calls.isEmpty()) {
        said.addFirst(content);
      }
    }
    return List.copyOf(said);
  }

  private static boolean speaks(ModelMessage message) {
    return message instanceof ModelMessage.AssistantText said && said.toolCalls().isEmpty();
  }

  private static String example(ModelRequest request, List<String> said) {
    return Lines.EXAMPLES.stream()
        .filter(example -> said.stream().anyMatch(text -> text.contains(example)))
        .findFirst()
        .orElseGet(() ->
            Lines.EXAMPLES.get(new SplittableRandom(hash(request)).nextInt(Lines.EXAMPLES.size())));
  }

  /**
   * Returns a hash of the messages that is the same in every process, unlike the hash code of a
   * record.
   */
  static int hash(ModelRequest request) {
    return request.messages().stream()
        .map(message -> String.valueOf(message.content()))
        .collect(Collectors.joining("\n"))
        .hashCode();
  }

  private static String resources(List<String> system) {
    return system.stream()
        .flatMap(
            text -> ANSWER_ONLY.matcher(text).results().map(found -> text.substring(found.end())))
        .map(text -> text.split("\\n\\n|\\n-", 2)[0].strip())
        .filter(text -> !text.isEmpty() && !text.contains("{{"))
        .findFirst()
        .orElse(Lines.RESOURCES);
  }

  private static Optional<LocalTime> usual(List<String> system) {
    return system.stream()
        .flatMap(text -> USUAL.matcher(text).results())
        .map(found -> LocalTime.parse(found.group()))
        .findFirst();
  }
}
