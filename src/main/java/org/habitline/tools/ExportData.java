package org.habitline.tools;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.habitline.config.Section;
import org.habitline.flows.FieldType;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowModule;
import org.habitline.flows.FlowNames;
import org.habitline.flows.FlowPart;
import org.habitline.flows.ProfileField;
import org.habitline.flows.ToolOptions;
import org.habitline.llm.ToolSpec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Exports a complete form (seed 002): has a model summarize it, stores it as a record, and prepares
 * the file {@code exports/{conversation_id}.json}, which gets its name once the turn is committed.
 * Without a summary or a file nothing is exported. Exporting again replaces the export.
 */
@Singleton
final class ExportData implements Tool {

  static final String NAME = "export_data";

  private static final String SUMMARY_PROMPT = "summary_prompt";
  private static final String CONFIRMATION_MESSAGE = "confirmation_message";
  private static final String CONVERSATION_ID = "conversation_id";
  private static final String USER_ID = "user_id";
  private static final String SUMMARY = "conversation_summary";
  private static final String EXPORTED_AT = "exported_at";
  private static final Set<String> OWN = Set.of(CONVERSATION_ID, USER_ID, EXPORTED_AT);
  private static final int LONGEST_CONFIRMATION = 1_000;

  private static final Logger log = LoggerFactory.getLogger(ExportData.class);
  private static final JsonMapper JSON = new JsonMapper();

  private final FormSummary summaries;
  private final ExportFiles files;

  ExportData(FormSummary summaries, ExportFiles files) {
    this.summaries = summaries;
    this.files = files;
  }

  /**
   * The options of a module.
   *
   * @param summaryPrompt the prompt file of the summary
   */
  record Options(String summaryPrompt) implements ToolOptions.WithPromptFiles {
    @Override
    public List<String> promptFiles() {
      return List.of(summaryPrompt);
    }
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Set<FlowPart> needs() {
    return Set.of(FlowPart.PROFILE);
  }

  /** Reads {@code summary_prompt}, and refuses fields that would not fit into the export. */
  @Override
  public ToolOptions options(Section given, FlowNames names) {
    given.only(SUMMARY_PROMPT);
    for (var field : names.profile()) {
      if (OWN.contains(field.name())) {
        given.refuse(
            "",
            NAME + " writes '" + field.name() + "' itself; expected another name for the field");
      }
      if (field.name().equals(SUMMARY) && !(field.type() instanceof FieldType.Text)) {
        given.refuse("", "the field " + SUMMARY + " is not a text; expected the type text");
      }
    }
    return new Options(given.promptFile(SUMMARY_PROMPT));
  }

  @Override
  public ToolSpec spec(Flow flow, FlowModule module) {
    return new ToolSpec(
        NAME,
        "Summarizes and exports the complete form, once the participant has confirmed it. Refused"
            + " while a required field is missing.",
        new StrictSchema()
            .optionalText(
                CONFIRMATION_MESSAGE,
                "The words in which the participant confirmed the values.",
                LONGEST_CONFIRMATION)
            .done());
  }

  @Override
  public ToolOutcome call(ToolRun run, ObjectNode given) {
    var arguments = new Arguments(given, List.of(CONFIRMATION_MESSAGE), List.of());
    var confirmation = arguments.text(CONFIRMATION_MESSAGE, LONGEST_CONFIRMATION);
    if (arguments.refusal().isPresent()) {
      return arguments.refusal().get();
    }
    var options =
        run.flow().module(run.module()).flatMap(module -> module.options(NAME, Options.class));
    if (options.isEmpty()) {
      return ToolOutcome.error("This module exports nothing.");
    }
    var missing = ProfileStatus.missingRequired(run.flow(), run.copy().profile());
    if (!missing.isEmpty()) {
      return incomplete(run.flow(), missing);
    }
    return summaries
        .write(run, options.get().summaryPrompt(), longest(run.flow()), confirmation)
        .map(summary -> exported(run, summary))
        .orElseGet(() ->
            ToolOutcome.error(
                "The summary could not be written, so nothing was exported. Say that the export did"
                    + " not work this time."));
  }

  private static ToolOutcome incomplete(Flow flow, List<String> missing) {
    var refused =
        ToolOutcome.error(
            "Nothing was exported: these fields are missing: %s."
                .formatted(String.join(", ", missing)));
    var names = refused.result().putArray("missing_fields");
    missing.forEach(names::add);
    var required = refused.result().putArray("required_fields");
    ProfileStatus.required(flow).map(ProfileField::name).forEach(required::add);
    return refused;
  }

  /** Returns the field that keeps the summary in the form, if the flow has it. */
  private static Optional<ProfileField> summaryField(Flow flow) {
    return flow.profile().stream().filter(field -> field.name().equals(SUMMARY)).findFirst();
  }

  private static int longest(Flow flow) {
    return summaryField(flow)
        .map(field ->
            field.type() instanceof FieldType.Text text ? text.maxLength() : FormSummary.LONGEST)
        .orElse(FormSummary.LONGEST);
  }

  private ToolOutcome exported(ToolRun run, String summary) {
    var id = run.participant().id();
    var document = document(run, summary);
    String edition;
    try {
      edition = files.prepare(id, document);
    } catch (IOException e) {
      log.warn(
          "{} could not be written ({}); the model was told that nothing was exported",
          ExportFiles.name(id),
          e.getClass().getSimpleName());
      return ToolOutcome.error(
          "The export could not be written on the server, so nothing was exported. Everything in the"
              + " form is kept. Say that the export did not work this time.");
    }
    var effects = new ArrayList<Effect>();
    var before = run.copy().profile();
    summaryField(run.flow())
        .filter(
            field -> ProfileStatus.isAllowed(run.flow(), before, field, TextNode.valueOf(summary)))
        .ifPresent(field -> {
          var after = before.with(field.name(), TextNode.valueOf(summary), run.now());
          effects.add(
              new Effect.SaveProfile(after, SaveUserProfile.changes(run.flow(), before, after)));
        });
    effects.add(new Effect.PutRecord(Records.Key.ofExport(id), document));
    effects.add(new Effect.PublishExport(id, edition));
    var outcome = ToolOutcome.success(effects.toArray(Effect[]::new));
    outcome
        .result()
        .put("message", "Onboarding data exported successfully")
        .put("file_path", ExportFiles.name(id))
        .put("summary", summary);
    return outcome;
  }

  /** Returns the export as JSON that people can read. */
  private static String document(ToolRun run, String summary) {
    var document = JsonNodeFactory.instance.objectNode();
    // A participant has one conversation, which has the participant's id.
    document.put(CONVERSATION_ID, run.participant().id());
    document.put(USER_ID, run.participant().id());
    run.flow().profile().stream()
        .filter(field -> !field.name().equals(SUMMARY))
        .forEach(field -> document.set(field.name(), ReadData.value(run.copy().profile(), field)));
    document.put(SUMMARY, summary);
    document.put(EXPORTED_AT, run.now().toString());
    try {
      return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(document);
    } catch (IOException e) {
      throw new UncheckedIOException("An export cannot be written as JSON.", e);
    }
  }
}
