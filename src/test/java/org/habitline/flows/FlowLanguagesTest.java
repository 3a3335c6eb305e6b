package org.habitline.flows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A flow in several languages: what each has, and what stands in for what it lacks. */
class FlowLanguagesTest {

  private static final Path REPOSITORY = Path.of("").toAbsolutePath();

  @TempDir Path folder;

  private static FlowCatalog habit() {
    return new FlowCatalog(REPOSITORY, "habit", FlowHome.ANY, Optional.empty(), text -> false);
  }

  private static Flow spanish(FlowCatalog catalog, String id) {
    return catalog.flow(id, "es").orElseThrow();
  }

  private void language(String name, String yaml) throws IOException {
    var languages =
        Files.createDirectories(folder.resolve("config/flows/small").resolve("languages"));
    Files.writeString(languages.resolve(name), yaml);
  }

  /** Every text in Spanish but the reminder. */
  private static final String SPANISH =
      """
      prompt_generator:
        fallback_text: Prueba un minuto.
      texts:
        greeting_fallback: Hola.
        error_fallback: Perdona.
        help: Ayuda.
        deletion_notice: Adiós.
        opt_out_confirmation: "Entendido, {{daily_prompt.done}}."
        resources: Llama a alguien.
        paused: En pausa.
        completed: Terminado.
      daily_prompt:
        question: ¿Lo hiciste?
        done: Hecho
        not_done: La próxima
        check_in: ¿Qué tal?
        follow_up: ¿Cómo fue?
      """;

  @Test
  void theHabitFlowIsCompleteInSpanish() {
    var catalog = habit();
    var flow = spanish(catalog, "habit");
    var english = catalog.flow("habit").orElseThrow();

    assertThat(flow.languages().own()).isEqualTo("es");
    assertThat(english.languages().all()).containsExactly("en", "es");
    assertThat(catalog.warnings()).isEmpty();
    // The text of a nudge is a part of its module.
    assertThat(flow.modules())
        .usingRecursiveComparison()
        .ignoringFieldsMatchingRegexes(".*nudge.text")
        .isEqualTo(english.modules());
    assertThat(flow.profile()).isEqualTo(english.profile());
    assertThat(flow.ownTexts()).hasSameSizeAs(english.ownTexts());
    for (int i = 0; i < flow.ownTexts().size(); i++) {
      var text = flow.ownTexts().get(i);
      var original = english.ownTexts().get(i);
      assertThat(text).isNotEqualTo(original).doesNotContain("{{");
      // A text that is much longer than the original costs twice as many SMS.
      assertThat(text.length()).as(text).isLessThan(original.length() * 3 / 2 + 10);
    }
    var intensity = Objects.requireNonNull(Objects.requireNonNull(flow.dailyPrompt()).intensity());
    assertThat(intensity.question("normal"))
        .isEqualTo(
            "¿Qué tal la intensidad? Ahora es normal; responde suave o intensa para cambiarla.");
  }

  @Test
  void theSpanishPromptsNameTheSameToolsFieldsAndModulesAsTheEnglishOnes() {
    var catalog = habit();
    var flow = spanish(catalog, "habit");
    var english = catalog.flow("habit").orElseThrow();
    for (var file :
        List.of(
            "intake_bot_system.txt",
            "feedback_tracker_system.txt",
            "prompt_generator_system.txt",
            PromptFiles.BASE)) {
      var prompt = catalog.prompt(flow, file);
      var original = catalog.prompt(english, file);
      assertThat(prompt.file()).isEqualTo("es/" + file);
      assertThat(prompt.isOf(file)).isTrue();
      assertThat(prompt.text()).doesNotContain("{{").contains(flow.texts().resources());
      if (!file.equals(PromptFiles.BASE)) {
        assertThat(named(prompt)).as(file).isEqualTo(named(original));
      }
      assertThat(quoted(prompt)).as(file).containsAll(quoted(original));
      assertThat(prompt.text().length()).isLessThan(original.text().length() * 3 / 2);
    }
    assertThat(catalog.prompt(flow, "intake_bot_system.txt").text()).contains("\"Hecho\"");
  }

  private static List<String> named(Prompt prompt) {
    return found("`([^`]*)`", prompt);
  }

  /** The labels of the status and the hints, which are the same in every language. */
  private static List<String> quoted(Prompt prompt) {
    return found(
        "\"(Status|Module|Local time|Profile|Missing for a habit prompt|Active schedules|Last habit"
            + " prompt|Daily prompt|What just happened|\\(continue\\))\"|(has not replied|has still"
            + " not replied)|(INTAKE|FEEDBACK)",
        prompt);
  }

  private static List<String> found(String pattern, Prompt prompt) {
    return Pattern.compile(pattern)
        .matcher(prompt.text().replaceAll("\\s+", " "))
        .results()
        .map(MatchResult::group)
        .distinct()
        .sorted()
        .toList();
  }

  @Test
  void aTextThatIsMissingStaysInTheStandardLanguageAndIsReported() throws IOException {
    var home = FlowHome.in(folder);
    language("es.yaml", SPANISH);
    var catalog = home.open();
    var flow = spanish(catalog, "small");

    assertThat(flow.texts().help()).isEqualTo("Ayuda.");
    assertThat(flow.texts().optOutConfirmation()).isEqualTo("Entendido, Hecho.");
    assertThat(Objects.requireNonNull(flow.dailyPrompt()).reminder()).isEqualTo("Remember.");
    assertThat(catalog.warnings())
        .containsExactlyInAnyOrder(
            "config/flows/small/languages/es.yaml lacks daily_prompt.reminder; people who get the flow"
                + " small in es get these texts in en",
            "The flow small has texts in es, but no prompt files in a folder prompts/es; the model"
                + " gets the prompts in en");
    assertThat(catalog.prompt(flow, "talk.txt").text())
        .isEqualTo("Talk. In a crisis: Llama a alguien.");
  }

  @Test
  void aPromptFileOfALanguageIsReadFirstAndAMissingOneIsReported() throws IOException {
    var home = FlowHome.in(folder);
    language("es.yaml", SPANISH + "  reminder: Recuerda.\n");
    Files.createDirectories(folder.resolve("prompts/es"));
    home.prompt("es/talk.txt", "Habla. {{resources}}");
    var catalog = home.open();
    var flow = spanish(catalog, "small");

    assertThat(catalog.prompt(flow, "talk.txt").text()).isEqualTo("Habla. Llama a alguien.");
    assertThat(catalog.prompt(flow, "talk.txt").file()).isEqualTo("es/talk.txt");
    assertThat(catalog.prompt(catalog.defaultFlow(), "talk.txt").text()).startsWith("Talk.");
    assertThat(catalog.prompt(flow, "write.txt").file()).isEqualTo("write.txt");
    assertThat(catalog.warnings())
        .contains(
            "prompts/es/write.txt is missing; for people who get the flow small in es, the model gets"
                + " the prompt in en");
  }

  @Test
  void aFlowThatLacksALanguageIsInItsStandardLanguage() throws IOException {
    var catalog = FlowHome.in(folder).open();

    assertThat(catalog.flow("small", "fr")).contains(catalog.defaultFlow());
    assertThat(catalog.flow("small", null)).contains(catalog.defaultFlow());
    assertThat(catalog.flow("none", "es")).isEmpty();
    assertThat(catalog.defaultFlow().languages().listed()).isEqualTo("en");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          es.yaml      | modules: {TALK: {nudge: {text: x}}} | es.yaml: modules.TALK: the module has no nudge in flow.yaml; expected none here
          es.yaml      | steps: {}                          | es.yaml: steps: unknown key; expected one of daily_prompt, modules, prompt_generator, texts, whatsapp
          es.yaml      | daily_prompt: {most: 3}            | es.yaml: daily_prompt.most: a setting of all languages; expected it in flow.yaml only
          es.yaml      | 'whatsapp: {greeting: {content_sid: x}}' | es.yaml: whatsapp: flow.yaml has no such part; expected only parts that it has
          es.yaml      | 'texts: {help: "{{nothing}}"}'     | es.yaml: texts.help: unknown placeholder {{nothing}}
          es.yaml      | texts: {halp: Ayuda}               | es.yaml: texts.halp: unknown key
          es.yaml      | daily_prompt: {done: Next time}    | expected a reply that differs from done
          spanish.yaml | texts: {help: Ayuda}               | expected files named after a language in two or three lower-case letters
          en.yaml      | texts: {help: Help}                | is the language of flow.yaml itself
          es.yml       | texts: {help: Ayuda}               | expected files named after a language
          """)
  void aMistakeInALanguageStopsTheStart(String file, String yaml, String sentence)
      throws IOException {
    var home = FlowHome.in(folder);
    language(file, yaml);

    assertThatThrownBy(home::open).isInstanceOf(BrokenFlow.class).hasMessageContaining(sentence);
  }
}
