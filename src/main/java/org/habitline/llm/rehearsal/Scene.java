package org.habitline.llm.rehearsal;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.habitline.llm.ModelMessage;
import org.habitline.llm.ModelRequest;

/**
 * A turn as its request shows it.
 *
 * @param said what the line said before, newest first
 * @param joined whether the participant has just been enrolled and said nothing
 * @param example the nudge that is shown as an example: the one shown before, or chosen by what the
 *     request holds
 * @param resources where to turn in a crisis, as the module's prompt says
 */
record Scene(
    Status status,
    List<String> said,
    Heard heard,
    boolean joined,
    Toolbox tools,
    String example,
    String resources) {

  private static final String JOINED = "<the participant has just joined and expects a greeting>";
  private static final String ANSWER_ONLY = "answer only with this: ";

  static Scene of(ModelRequest request) {
    var turn = turn(request.messages());
    var said = said(turn.before());
    var texts = turn.texts().stream().filter(text -> !hint(text)).toList();
    return new Scene(
        Status.of(request),
        said,
        Heard.of(texts),
        turn.texts().contains(JOINED),
        new Toolbox(request.tools()),
        example(request, said),
        resources(Status.systemTexts(request)));
  }

  /** What the line left open with its newest text, if that was a text of the script. */
  Optional<Cue.Given> newest() {
    return said.stream().findFirst().flatMap(Cue::in);
  }

  /** What the script left open last, whatever was sent after it. */
  Optional<Cue.Given> pending() {
    return said.stream().flatMap(text -> Cue.in(text).stream()).findFirst();
  }

  boolean asked(Cue cue) {
    return said.stream().anyMatch(text -> cue.texts().stream().anyMatch(text::contains));
  }

  private record Turn(List<ModelMessage> before, List<String> texts) {}

  /** The newest texts of the participant are those that nothing was answered to. */
  private static Turn turn(List<ModelMessage> messages) {
    var texts = new ArrayList<String>();
    var end = messages.size();
    while (end > 0 && !(messages.get(end - 1) instanceof ModelMessage.UserText)) {
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

  private static boolean hint(String text) {
    return text.startsWith("<") && text.endsWith(">");
  }

  private static String example(ModelRequest request, List<String> said) {
    return Lines.EXAMPLES.stream()
        .filter(example -> said.stream().anyMatch(text -> text.contains(example)))
        .findFirst()
        .orElseGet(() ->
            Lines.EXAMPLES.get(new SplittableRandom(hash(request)).nextInt(Lines.EXAMPLES.size())));
  }

  /** The same in every process, unlike the hash code of a record. */
  static int hash(ModelRequest request) {
    return request.messages().stream()
        .map(message -> String.valueOf(message.content()))
        .collect(Collectors.joining("\n"))
        .hashCode();
  }

  private static String resources(List<String> system) {
    return system.stream()
        .filter(text -> text.contains(ANSWER_ONLY))
        .map(text -> text.substring(text.indexOf(ANSWER_ONLY) + ANSWER_ONLY.length()))
        .map(text -> text.split("\\n\\n|\\n-", 2)[0].strip())
        .filter(text -> !text.isEmpty() && !text.contains("{{"))
        .findFirst()
        .orElse(Lines.RESOURCES);
  }
}
