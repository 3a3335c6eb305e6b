package org.habitline.tools;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.habitline.config.Section;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowModule;
import org.habitline.flows.FlowNames;
import org.habitline.flows.FlowPart;
import org.habitline.flows.KnownTools;
import org.habitline.flows.ToolOptions;
import org.habitline.llm.ToolCall;
import org.habitline.llm.ToolSpec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds all tools and runs their calls. A call returns an outcome for any input and never throws:
 * an unknown tool, arguments that are not an object and a tool that fails give error results that
 * say what is accepted. Safe for any number of threads.
 */
@Singleton
public final class ToolCatalog implements KnownTools {

  /** The tool that searches the documents of a flow. */
  public static final String SEARCH = RagSearch.NAME;

  /** The name of the tool that exports a form. */
  public static final String EXPORT = ExportData.NAME;

  /** The name of the tool that records what came of a daily prompt. */
  public static final String OUTCOME = RecordOutcome.NAME;

  /** The longest arguments that are read, in characters. */
  static final int LONGEST_ARGUMENTS = 64 * 1024;

  /** The deepest nesting that is read; no tool has arguments deeper than a list of words. */
  static final int DEEPEST_ARGUMENTS = 8;

  private static final Logger log = LoggerFactory.getLogger(ToolCatalog.class);

  private static final JsonMapper JSON =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxNestingDepth(DEEPEST_ARGUMENTS).build())
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private final SortedMap<String, Tool> tools;

  ToolCatalog(List<Tool> tools) {
    this.tools =
        tools.stream()
            .collect(
                Collectors.toMap(
                    Tool::name,
                    Function.identity(),
                    (one, other) -> {
                      throw new IllegalStateException("two tools are named " + one.name());
                    },
                    TreeMap::new));
  }

  @Override
  public Set<String> names() {
    return Set.copyOf(tools.keySet());
  }

  @Override
  public Set<FlowPart> needs(String tool) {
    return Objects.requireNonNull(tools.get(tool)).needs();
  }

  @Override
  public ToolOptions options(String tool, Section given, FlowNames names) {
    return Objects.requireNonNull(tools.get(tool)).options(given, names);
  }

  public Optional<Tool> tool(String name) {
    return Optional.ofNullable(tools.get(name));
  }

  /** Returns the tools that a module offers its model, in the order of the flow. */
  public List<ToolSpec> offered(Flow flow, FlowModule module) {
    return module.tools().stream()
        .flatMap(name -> tool(name).stream())
        .map(tool -> tool.spec(flow, module))
        .toList();
  }

  /**
   * Returns those of a module's tools that make sense in this situation, in the same order.
   *
   * @param replies whether the model replies to a text
   */
  public List<ToolSpec> offered(Flow flow, FlowModule module, WorkingCopy copy, boolean replies) {
    return offered(flow, module).stream()
        .filter(spec ->
            tool(spec.name())
                .filter(it -> it.isOffered(copy))
                .filter(it -> replies || !it.needsText())
                .isPresent())
        .toList();
  }

  /** Returns those of a module's tools that may be called outside a turn, in the same order. */
  public List<ToolSpec> offeredOutsideTurns(Flow flow, FlowModule module) {
    return offered(flow, module).stream()
        .filter(spec -> tool(spec.name()).filter(Tool::runsOutsideTurns).isPresent())
        .toList();
  }

  /** Runs one call of a module's model. */
  public ToolOutcome call(ToolRun run, FlowModule module, ToolCall call) {
    var offered = module.tools().contains(call.name()) ? tool(call.name()) : Optional.<Tool>empty();
    if (offered.isEmpty()) {
      return notOffered(module.tools());
    }
    var arguments = arguments(call.arguments());
    if (arguments.isEmpty()) {
      return unreadable();
    }
    var tool = offered.get();
    CallLog.begins(run.participant().id(), () -> tool.spec(run.flow(), module), arguments.get());
    return outcome(tool, run, arguments.get());
  }

  private static ToolOutcome outcome(Tool tool, ToolRun run, ObjectNode arguments) {
    try {
      return tool.call(run, arguments);
    } catch (RuntimeException e) {
      // Only the type is logged: the message may hold what the participant or the model wrote.
      log.error(
          "tool {} failed for participant {} with {}; the model was told that nothing changed",
          tool.name(),
          run.participant().id(),
          e.getClass().getName());
      return ToolOutcome.error("The tool failed; nothing was changed.");
    }
  }

  /**
   * Returns the error for a call of a tool that the caller was not offered.
   *
   * @param offered the names of the tools that it was offered
   */
  public static ToolOutcome notOffered(List<String> offered) {
    return ToolOutcome.error("name", "There is no tool of this name here.", offered);
  }

  /** Returns the error for arguments that cannot be read. */
  public static ToolOutcome unreadable() {
    return ToolOutcome.error(
        "arguments",
        ("The arguments could not be read. Expected one JSON object of at most %d characters, with"
                + " no name twice, nested at most %d deep.")
            .formatted(LONGEST_ARGUMENTS, DEEPEST_ARGUMENTS),
        List.of());
  }

  /**
   * Returns the arguments of a call, or empty if they are not one JSON object within the bounds of
   * length and depth.
   */
  public static Optional<ObjectNode> arguments(String text) {
    if (text.length() > LONGEST_ARGUMENTS) {
      return Optional.empty();
    }
    try {
      return JSON.readTree(text) instanceof ObjectNode object
          ? Optional.of(object)
          : Optional.empty();
    } catch (JsonProcessingException e) {
      return Optional.empty();
    }
  }
}
