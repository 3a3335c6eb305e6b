package org.habitline.study.coding;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.habitline.Hashes;
import org.habitline.conversation.model.PinnedModels;
import org.habitline.llm.ChoiceQuestion;
import org.habitline.llm.Deadline;
import org.habitline.llm.LanguageModel;
import org.habitline.llm.ModelReply;
import org.habitline.llm.ModelRequest;
import org.jspecify.annotations.Nullable;

/**
 * Asks a model what came of a daily prompt, at temperature 0 where its server allows that. Blind by
 * construction: a request is made of the instructions and of {@link Seen}, and of nothing else.
 * Safe for any number of threads.
 */
final class OutcomeCoder {

  private static final String TOOL = "code_outcome";
  private static final String OUTCOME = "outcome";
  private static final int LONGEST_MODEL = 200;
  private static final int DIGITS_OF_VERSION = 12;

  private static final JsonMapper JSON = new JsonMapper();

  private final LanguageModel model;
  private final PinnedModels models;
  private final String named;
  private final ChoiceQuestion question;
  private final String version;

  /**
   * @param models says whether the answer of another model may be used
   * @param named the model to ask
   * @param instructions what it is told
   */
  OutcomeCoder(LanguageModel model, PinnedModels models, String named, String instructions) {
    this.model = model;
    this.models = models;
    this.named = named;
    this.question =
        new ChoiceQuestion(
            instructions,
            TOOL,
            "Says what came of the daily prompt.",
            List.of(
                new ChoiceQuestion.Field(
                    OUTCOME, "What came of it.", CodedOutcome.wordsOfTexts())));
    this.version =
        hash(everyForm()) + " " + named.substring(0, Math.min(LONGEST_MODEL, named.length()));
  }

  /**
   * Returns the version: 12 hexadecimal digits of the SHA-256 of a request that has everything a
   * request can have, and the model's name. Another text, schema or form makes another version.
   */
  String version() {
    return version;
  }

  /**
   * What came of asking.
   *
   * @param outcome empty if there was no answer, or none that can be read
   */
  record Reply(Optional<CodedOutcome> outcome, ModelRequest request, ModelReply reply) {

    long tokens() {
      return reply.receipt().promptTokens() + reply.receipt().completionTokens();
    }

    /** Returns the model that answered, as its server named it. */
    @Nullable String model() {
      var returned = reply.receipt().modelReturned();
      return returned == null || returned.isEmpty()
          ? null
          : returned.substring(0, Math.min(LONGEST_MODEL, returned.length()));
    }
  }

  /** Asks about a window; blocks until the deadline at most. */
  Reply code(List<Seen> seen, Deadline deadline) {
    var request = question.about(named, 0.0, json(seen));
    var reply = models.checked(model.answer(request, deadline));
    var outcome =
        // The fallback model of the service is another coder.
        ChoiceQuestion.read(reply) instanceof ChoiceQuestion.Answer.Given given
                && reply.receipt().modelAsked().equals(named)
            ? CodedOutcome.ofText(given.word(OUTCOME))
            : Optional.<CodedOutcome>empty();
    return new Reply(outcome, request, reply);
  }

  private static String json(List<Seen> seen) {
    var data = JSON.createObjectNode();
    var messages = data.putArray("messages");
    for (var one : seen) {
      switch (one) {
        case Seen.Text text -> messages.addObject().put("text", text.text());
        case Seen.Message message -> messages.addObject().put("message", message.kind().title());
      }
    }
    return data.toString();
  }

  private String everyForm() {
    var seen = new ArrayList<Seen>();
    seen.add(new Seen.Text("text"));
    for (var kind : LineMessage.values()) {
      seen.add(new Seen.Message(kind));
    }
    try {
      return JSON.writeValueAsString(question.about(null, 0.0, json(seen)));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("A request cannot be written as JSON.", e);
    }
  }

  private static String hash(String text) {
    return Hashes.sha256(text).substring(0, DIGITS_OF_VERSION);
  }
}
