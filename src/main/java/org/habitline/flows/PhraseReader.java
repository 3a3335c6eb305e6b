package org.habitline.flows;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.habitline.config.Mistakes;
import org.habitline.config.Section;

/**
 * Reads the {@code rehearsal.yaml} of a flow and refuses any key or value that it does not know, as
 * {@link FlowReader} does. {@code docs/flows.md} lists every key with its bounds.
 */
final class PhraseReader {

  /** The placeholder that every argument may hold. */
  private static final String PARTICIPANT = "participant";

  private static final int LONGEST_NAME = 200;
  private static final int LONGEST_SAYING = 200;
  private static final Pattern ANY_PLACEHOLDER = Pattern.compile("\\{\\{[^{}]*}}");

  private final String file;
  private final Set<String> tools;

  /**
   * Creates a reader of one flow's file. Tools of other servers are not for phrases: a rehearsal
   * must not act outside.
   */
  PhraseReader(String file, Flow flow) {
    this.file = file;
    this.tools =
        flow.modules().values().stream()
            .flatMap(module -> module.uses().stream())
            .filter(use -> !(use.options() instanceof McpTool))
            .map(ToolUse::name)
            .collect(Collectors.toCollection(TreeSet::new));
  }

  /**
   * Returns the table.
   *
   * @throws BrokenFlow with every mistake, if the file has any
   */
  PhraseTable read(String yaml) {
    var mistakes = new Mistakes(file);
    var root = FlowReader.root(yaml, mistakes);
    root.only("phrases", "otherwise");
    var phrases = new ArrayList<Phrase>();
    root.section("phrases")
        .sections()
        .forEach((name, section) -> phrases.add(phrase(name, section)));
    var table = new PhraseTable(phrases, root.optionalText("otherwise", FlowReader.LONGEST_TEXT));
    FlowReader.check(mistakes);
    return table;
  }

  private Phrase phrase(String name, Section section) {
    section.only("says", "calls", "reply", "examples");
    var says = section.optionalTexts("says", LONGEST_SAYING);
    if (says.isEmpty()) {
      section.refuse("says", "missing; expected texts such as [\"show me my tasks\"]");
    }
    var odd = new TreeSet<String>();
    for (int i = 0; i < says.size(); i++) {
      var found = oddPlaceholder(says.get(i));
      if (found.isPresent()) {
        odd.add(says.get(i));
        section.refuse(
            "says",
            i,
            "expected placeholders such as {{title}}, of lower-case letters and digits, each once;"
                + " found "
                + found.get());
      } else if (!Phrase.isQuick(says.get(i))) {
        odd.add(says.get(i));
        section.refuse("says", i, "expected at most two placeholders, with a word between them");
      }
    }
    var phrase =
        new Phrase(
            name,
            says.stream().filter(text -> !odd.contains(text)).toList(),
            section.has("calls") ? calls(section, said(says)) : List.of(),
            section.text("reply", FlowReader.LONGEST_TEXT),
            section.optionalTexts("examples", LONGEST_SAYING));
    var examples = phrase.examples();
    for (int i = 0; i < examples.size(); i++) {
      if (phrase.in(examples.get(i)).isEmpty()) {
        section.refuse("examples", i, "expected a text that fits one of says");
      }
    }
    return phrase;
  }

  /** Returns the first placeholder of a text that is repeated or misspelled. */
  private static Optional<String> oddPlaceholder(String text) {
    var seen = new HashSet<String>();
    return ANY_PLACEHOLDER
        .matcher(text)
        .results()
        .map(MatchResult::group)
        .filter(found -> !Phrase.PLACEHOLDER.matcher(found).matches() || !seen.add(found))
        .findFirst();
  }

  /** Returns the placeholders that every one of these texts has. */
  private static Set<String> said(List<String> says) {
    var common = new TreeSet<String>();
    for (int i = 0; i < says.size(); i++) {
      var names =
          Phrase.PLACEHOLDER
              .matcher(says.get(i))
              .results()
              .map(found -> found.group(1))
              .collect(Collectors.toSet());
      if (i == 0) {
        common.addAll(names);
      } else {
        common.retainAll(names);
      }
    }
    return common;
  }

  private List<Phrase.Call> calls(Section section, Set<String> said) {
    var calls = new ArrayList<Phrase.Call>();
    for (var item : section.items("calls")) {
      var tool = item.name();
      if (!tools.contains(tool)) {
        section.refuse(
            "calls",
            calls.size(),
            "no module of this flow has the tool '%s'; expected one of %s"
                .formatted(tool, String.join(", ", tools)));
      }
      var each = item.options().optionalText("each", LONGEST_NAME);
      if (each != null && calls.isEmpty()) {
        item.options().refuse("each", "expected a call before this one, whose result has the list");
      }
      var arguments = new LinkedHashMap<String, String>();
      for (var argument : item.options().keys()) {
        if (!argument.equals("each")) {
          var text = item.options().text(argument, LONGEST_SAYING);
          if (each == null) {
            refuseUnsaid(item.options(), argument, text, said);
          }
          arguments.put(argument, text);
        }
      }
      calls.add(new Phrase.Call(tool, each, arguments));
    }
    return calls;
  }

  /** Refuses a placeholder that a participant's text may not fill in. */
  private static void refuseUnsaid(
      Section options, String argument, String text, Set<String> said) {
    ANY_PLACEHOLDER
        .matcher(text)
        .results()
        .map(found -> found.group().substring(2, found.group().length() - 2))
        .filter(name -> !name.equals(PARTICIPANT) && !said.contains(name))
        .findFirst()
        .ifPresent(name ->
            options.refuse(
                argument,
                "unknown placeholder {{%s}}; expected {{participant}} or one that every text of"
                        .formatted(name)
                    + " says has"));
  }
}
