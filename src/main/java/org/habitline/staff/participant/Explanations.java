package org.habitline.staff.participant;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.habitline.conversation.stored.Author;
import org.habitline.conversation.stored.Outcome;
import org.habitline.conversation.stored.TranscriptReader;
import org.habitline.conversation.stored.TurnReader;
import org.habitline.conversation.stored.TurnStatus;
import org.habitline.flows.FlowCatalog;
import org.habitline.llm.ModelFailure;
import org.habitline.messaging.inbox.InputKind;
import org.habitline.participants.Participant;
import org.habitline.safety.opinions.Opinion;
import org.habitline.safety.opinions.SecondOpinions;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.PageFrame;
import org.habitline.staff.web.Times;
import org.habitline.tools.ToolOutcome;
import org.jspecify.annotations.Nullable;

/** Builds the page that explains a turn, from the same data as the REST API. */
@Singleton
final class Explanations {

  /** The longest part of a passage that is shown, in characters; the result has the whole. */
  private static final int EXCERPT = 300;

  private final TurnReader turns;
  private final TranscriptReader transcript;
  private final SecondOpinions opinions;
  private final FlowCatalog flows;
  private final ObjectMapper json;

  Explanations(
      TurnReader turns,
      TranscriptReader transcript,
      SecondOpinions opinions,
      FlowCatalog flows,
      ObjectMapper json) {
    this.flows = flows;
    this.turns = turns;
    this.opinions = opinions;
    this.transcript = transcript;
    this.json = json;
  }

  /**
   * Returns the page that explains one turn.
   *
   * @param ofIncidents whether the reader may see the words of safety incidents
   * @throws ApiProblem 404 if the participant has no such turn
   */
  WhyPage why(PageFrame frame, Participant participant, int number, boolean ofIncidents) {
    var turn =
        turns
            .turn(participant.id(), number)
            .orElseThrow(
                () -> ApiProblem.notFound("There is no turn " + number + " of this participant."));
    var shown = turns.iterations(participant.id(), number, ofIncidents);
    JsonNode context = json.valueToTree(shown);
    var messages = transcript.ofTurn(participant.id(), number);
    var said =
        messages.stream()
            .map(message -> message.shown(ofIncidents))
            .map(message ->
                new WhyPage.Said(
                    message.author() != Author.PARTICIPANT,
                    message.content(),
                    Times.seconds(message.createdAt(), participant.zone())))
            .toList();
    var calls = each(context.path("iterations")).map(this::iteration).toList();
    var module = turn.module() == null ? "" : flows.moduleTitle(participant.flow(), turn.module());
    return new WhyPage(
        frame,
        participant.id(),
        ParticipantPages.name(participant),
        participant.zone().getId(),
        participant.zoneAssumed(),
        number,
        kind(turn.kind()),
        turn.status().word(),
        module,
        turn.attempts(),
        outcome(turn.outcome()),
        summary(turn.kind(), module, said, calls),
        standIn(turn),
        turn.status() == TurnStatus.FAILED || turn.reason() == null ? "" : turn.reason(),
        Times.seconds(turn.startedAt(), participant.zone()),
        took(turn),
        opinions.of(participant.id(), number).map(Explanations::opinion).orElse(""),
        said,
        !ofIncidents && messages.stream().anyMatch(message -> message.incidentId() != null),
        turn.promptSha256().entrySet().stream()
            .map(prompt ->
                new WhyPage.PromptFile(
                    prompt.getKey(),
                    prompt.getValue(),
                    turn.promptRenderedSha256().getOrDefault(prompt.getKey(), "")))
            .toList(),
        turn.configuration(),
        calls);
  }

  /** Returns what led to what, in one sentence. */
  private static String summary(
      InputKind kind, String module, List<WhyPage.Said> said, List<WhyPage.ModelCall> calls) {
    var words = new StringJoiner("; ", "", ".");
    words.add(began(kind, said.stream().filter(text -> !text.ours()).toList()));
    if (!module.isEmpty() && !calls.isEmpty()) {
      words.add("module " + module + " handled it");
    }
    words.add(
        switch (calls.size()) {
          case 0 -> "no model was called";
          case 1 -> "the model was called once";
          default -> "the model was called " + calls.size() + " times";
        });
    var tools = calls.stream().flatMap(call -> call.tools().stream()).toList();
    if (!tools.isEmpty()) {
      words.add(
          tools.stream()
              .map(tool -> tool.name() + " " + tool.ended())
              .collect(
                  Collectors.joining(", ", tools.size() == 1 ? "the tool " : "the tools ", "")));
    }
    var ours = said.stream().filter(WhyPage.Said::ours).count();
    words.add(
        ours == 0
            ? "no message was written"
            : ours == 1 ? "1 message was written" : ours + " messages were written");
    return words.toString();
  }

  private static String began(InputKind kind, List<WhyPage.Said> texts) {
    return switch (kind) {
      case SAID ->
          switch (texts.size()) {
            case 0 -> "The participant sent a text";
            case 1 -> "The participant texted “" + excerpt(texts.getFirst().text()) + "”";
            default -> "The participant sent " + texts.size() + " texts";
          };
      case ENROLLED -> "The participant was enrolled";
      case ASKED -> "Staff asked for this message";
      case WOKE -> "A scheduled job was due";
    };
  }

  private static String ended(String status) {
    return switch (status) {
      case ToolOutcome.SUCCESS -> "succeeded";
      case ToolOutcome.NOOP -> "had nothing to change";
      case ToolOutcome.UNKNOWN -> "has an unknown outcome";
      case "" -> "has no result";
      default -> "failed";
    };
  }

  private static String kind(InputKind kind) {
    return switch (kind) {
      case SAID -> "text from the participant";
      case ENROLLED -> "enrolment";
      case ASKED -> "staff request";
      case WOKE -> "wake-up";
    };
  }

  private static String opinion(Opinion opinion) {
    var source = opinion.source();
    var says =
        switch (opinion.status()) {
          case GIVEN ->
              opinion.level().word()
                  + (opinion.kind() == null
                      ? ""
                      : " (" + opinion.kind().word().replace('_', ' ') + ")");
          case TOO_SLOW -> "none in time; the rules alone decided";
          case FAILED -> "none, because the server failed; the rules alone decided";
          case UNREADABLE -> "none that can be read; the rules alone decided";
        };
    return says
        + ", by "
        + (source.model().isEmpty() ? source.by().word() : source.model())
        + ", "
        + source.latencyMillis()
        + " ms";
  }

  private static String outcome(@Nullable Outcome outcome) {
    return switch (outcome) {
      case null -> "";
      case REPLIED -> "replied";
      case NOT_FOR_THE_COACH -> "no reply by the coach needed";
      case BRAKED -> "no reply: repeated text";
      case TAKEN_OVER -> "taken over by staff";
      case WOKE -> "wake-up carried out";
      case ASKED -> "requested message sent";
      case DROPPED -> "no longer needed";
      case MODEL_FAILED -> "model failed";
      case OTHER_MODEL -> "reply of another model refused";
      case REFUSED -> "model declined";
      case CONTENT_FILTERED -> "reply blocked by content filter";
      case GATED -> "reply withheld by a gate";
      case NO_TEXT -> "model gave no usable text";
      case NO_CONTEXT -> "model request could not be prepared";
      case CRASHED -> "crashed";
      case CANCELLED -> "cancelled";
    };
  }

  private static String standIn(TurnReader.Turn turn) {
    if (turn.status() != TurnStatus.FAILED) {
      return "";
    }
    return turn.reason() == null
        ? "the model gave no usable answer"
        : ModelFailure.explained(turn.reason(), turn.failure());
  }

  private static String took(TurnReader.Turn turn) {
    return turn.completedAt() == null
        ? ""
        : Duration.between(turn.startedAt(), turn.completedAt()).toMillis() + " ms";
  }

  private WhyPage.ModelCall iteration(JsonNode iteration) {
    var metadata = iteration.path("metadata");
    return modelCall(
        iteration.path("number").asInt(),
        metadata,
        iteration.path("messages"),
        each(iteration.path("tool_calls")).map(this::toolUse).toList(),
        each(metadata.path("nested"))
            .map(nested -> modelCall(0, nested, nested.path("messages"), List.of(), List.of()))
            .toList());
  }

  private static WhyPage.ModelCall modelCall(
      int number,
      JsonNode metadata,
      JsonNode messages,
      List<WhyPage.ToolUse> tools,
      List<WhyPage.ModelCall> nested) {
    return new WhyPage.ModelCall(
        number,
        new WhyPage.PromptFile(
            metadata.path("prompt_file").asText(),
            metadata.path("prompt_sha256").asText(),
            metadata.path("prompt_rendered_sha256").asText()),
        receipt(metadata.path("receipt")),
        answer(metadata.path("answer").asText()),
        gates(metadata),
        metadata.path("gate_version").asText(),
        metadata.path("text").asText(),
        each(messages).map(Explanations::message).toList(),
        tools,
        nested);
  }

  private static String answer(String word) {
    return switch (word) {
      case "says" -> "The model replied";
      case "calls_tools" -> "The model called tools";
      case "refused" -> "The model declined to answer";
      case "cut_off" -> "The model's answer was cut off";
      case "failed" -> "The model failed";
      default -> "The model has not answered yet";
    };
  }

  private static String gates(JsonNode metadata) {
    var verdict = metadata.path("gate_verdict").asText();
    if (verdict.isEmpty()) {
      return "";
    }
    if (verdict.equals("pass")) {
      return "Safety check passed";
    }
    var then =
        metadata.path("gate_result").asText().equals("retried")
            ? "; the model was asked again"
            : "; it was not sent";
    return "Safety check: blocked by the gate " + verdict.replace('_', ' ') + then;
  }

  private static WhyPage.Receipt receipt(JsonNode receipt) {
    return new WhyPage.Receipt(
        receipt.path("model_asked").asText(),
        receipt.path("model_returned").asText(),
        receipt.path("finish_reason").asText(),
        receipt.path("request_id").asText(),
        receipt.path("prompt_tokens").asLong(),
        receipt.path("completion_tokens").asLong(),
        receipt.path("latency_millis").asLong(),
        receipt.path("attempts").asInt());
  }

  private static WhyPage.Message message(JsonNode message) {
    var calls = message.path("tool_calls");
    var text = message.path("content").asText("");
    return new WhyPage.Message(
        message.path("role").asText(),
        text.isEmpty() && !calls.isEmpty() ? "(called tools, see above)" : text);
  }

  private WhyPage.ToolUse toolUse(JsonNode call) {
    var result = call.path("result");
    return new WhyPage.ToolUse(
        call.path("name").asText(),
        shown(withoutNulls(call.path("arguments").deepCopy())),
        result.isNull() ? "no result yet" : shown(result),
        ended(result.path("status").asText()),
        each(result.path("passages"))
            .filter(passage -> passage.hasNonNull("source"))
            .map(Explanations::passage)
            .toList());
  }

  private static WhyPage.Passage passage(JsonNode passage) {
    return new WhyPage.Passage(
        passage.path("source").asText(),
        passage.path("score").asText(),
        excerpt(passage.path("text").asText()));
  }

  private static String excerpt(String text) {
    return text.codePointCount(0, text.length()) <= EXCERPT
        ? text
        : text.substring(0, text.offsetByCodePoints(0, EXCERPT)).strip() + "…";
  }

  /** Removes the fields that have no value: a strict schema makes the model send each of them. */
  private static JsonNode withoutNulls(JsonNode value) {
    if (value instanceof ObjectNode object) {
      object.removeIf(JsonNode::isNull);
    }
    value.forEach(Explanations::withoutNulls);
    return value;
  }

  /** Returns a value as indented JSON, or a text as it is. */
  private String shown(JsonNode value) {
    return value.isTextual() ? value.textValue() : pretty(value);
  }

  private static Stream<JsonNode> each(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false);
  }

  /** Returns a value as JSON with line breaks and indentation. */
  String pretty(@Nullable Object value) {
    try {
      return json.writerWithDefaultPrettyPrinter().writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Cannot write page data as JSON: " + e.getClass().getName());
    }
  }
}
