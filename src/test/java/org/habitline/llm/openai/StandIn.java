package org.habitline.llm.openai;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.habitline.llm.openai.StrictFakeServer.Asked;

/** How servers other than OpenAI's own differ, one quirk each, in their own words. */
public enum StandIn {

  /** Qwen 3.x on vLLM: fields of the error without {@code error} around them. */
  STRICT_FIRST_SYSTEM {
    @Override
    Optional<Scripted> refuses(Asked asked) {
      var roles = roles(asked);
      if (roles.lastIndexOf("system") > 0) {
        return flat("System message must be at the beginning.");
      }
      return roles.contains("user") ? Optional.empty() : flat("No user query found in messages.");
    }
  },

  /** Gemma and Mistral on llama.cpp, which says 500. */
  ALTERNATING_ROLES {
    @Override
    Optional<Scripted> refuses(Asked asked) {
      var turns = new ArrayList<String>();
      for (var message : asked.messages()) {
        var role = message.path("role").asText();
        if (role.equals("user") || (role.equals("assistant") && !message.has("tool_calls"))) {
          turns.add(role);
        }
      }
      for (var i = 0; i < turns.size(); i++) {
        if (!turns.get(i).equals(i % 2 == 0 ? "user" : "assistant")) {
          return Optional.of(
              Scripted.error(
                  500,
                  "Jinja Exception: Conversation roles must alternate"
                      + " user/assistant/user/assistant/...",
                  null));
        }
      }
      return Optional.empty();
    }
  },

  /** OpenAI's o1, o3 and o4-mini. */
  NO_PARALLEL_PARAMETER {
    @Override
    Optional<Scripted> refuses(Asked asked) {
      return unsupported(asked, "parallel_tool_calls");
    }
  },

  /** OpenAI's reasoning models again. */
  NO_TEMPERATURE {
    @Override
    Optional<Scripted> refuses(Asked asked) {
      return asked.body().has("temperature")
          ? Optional.of(
              Scripted.error(
                  400,
                  "Unsupported value: 'temperature' does not support 0.5 with this model. Only the"
                      + " default (1) value is supported.",
                  "unsupported_value"))
          : Optional.empty();
    }
  },

  /** Any of them behind a gateway, so that the address says nothing. */
  NO_MAX_TOKENS {
    @Override
    Optional<Scripted> refuses(Asked asked) {
      return asked.body().has("max_tokens")
          ? Optional.of(
              Scripted.error(
                  400,
                  "Unsupported parameter: 'max_tokens' is not supported with this model. Use"
                      + " 'max_completion_tokens' instead.",
                  "unsupported_parameter"))
          : Optional.empty();
    }
  },

  /** FastAPI's manner: 422, and the whole request repeated. */
  NO_TOOL_CHOICE_NONE {
    @Override
    Optional<Scripted> refuses(Asked asked) {
      if (!asked.mustSpeak()) {
        return Optional.empty();
      }
      var root = JSON.createObjectNode();
      var detail = root.putArray("detail").addObject();
      detail.putArray("loc").add("body").add("tool_choice");
      detail.put("msg", "Input should be 'auto', 'any' or 'required'").set("input", asked.body());
      return Optional.of(Scripted.raw(422, "application/json", root.toString()));
    }
  },

  /** Neither without tools nor with {@code none}; a list around the error, as Gemini has it. */
  NO_TOOL_CHOICE_AND_TOOLS_ALWAYS {
    @Override
    Optional<Scripted> refuses(Asked asked) {
      var sentence =
          asked.mustSpeak()
              ? "tool_choice 'none' is not supported."
              : asked.toolResults() > 0 && !asked.hasTools()
                  ? "Requests which show tool calls must define tools."
                  : "";
      var root = JSON.createArrayNode();
      root.addObject().putObject("error").put("code", 400).put("message", sentence);
      return sentence.isEmpty()
          ? Optional.empty()
          : Optional.of(Scripted.raw(400, "application/json", root.toString()));
    }
  },

  /** vLLM, which reads the arguments that it is shown again. */
  BROKEN_ARGUMENTS_REFUSED {
    @Override
    Optional<Scripted> refuses(Asked asked) {
      for (var message : asked.messages()) {
        for (var call : message.path("tool_calls")) {
          if (!isObject(call.at("/function/arguments").asText())) {
            return flat("Expecting ',' delimiter: line 1 column 6 (char 5)");
          }
        }
      }
      return Optional.empty();
    }
  },

  /** A model that thinks for longer than OkHttp's own read timeout of ten seconds. */
  SLOW_FIRST_TOKEN {
    @Override
    Scripted dressed(Scripted scripted) {
      return scripted.after(Duration.ofSeconds(12));
    }
  },

  NO_USAGE {
    @Override
    Optional<Scripted> refuses(Asked asked) {
      return unsupported(asked, "stream_options");
    }

    @Override
    Scripted dressed(Scripted scripted) {
      return scripted.edited(completion -> completion.remove("usage"));
    }
  },

  NO_STREAMING {
    @Override
    Optional<Scripted> refuses(Asked asked) {
      return asked.streams()
          ? Optional.of(Scripted.error(400, "Not available for this model.", null))
          : Optional.empty();
    }
  },

  /** Hermes and Qwen where nothing reads their calls. */
  CALLS_AS_TEXT {
    @Override
    Scripted dressed(Scripted scripted) {
      return written(
          scripted,
          "I will look that up.\n<tool_call>\n{\"name\": \"%s\", \"arguments\": %s}\n</tool_call>");
    }
  },

  /** Llama 3.1, and others that write nothing else. */
  CALLS_AS_DATA {
    @Override
    Scripted dressed(Scripted scripted) {
      return written(scripted, "```json\n{\"name\": \"%s\", \"parameters\": %s}\n```");
    }
  },

  /** Llama 3.2 and 4. */
  CALLS_AS_PYTHON {
    @Override
    Scripted dressed(Scripted scripted) {
      return tagged(scripted, "[%s(%s)]", "%s=\"%s\"");
    }
  },

  /** Small models on Ollama, which talk first. */
  CALLS_BEHIND_WORDS {
    @Override
    Scripted dressed(Scripted scripted) {
      return written(
          scripted,
          "Let me look that up.\n\n```json\n{\"name\": \"%s\", \"arguments\": %s}\n```\nDone.");
    }
  },

  /** Mistral. */
  CALLS_AS_A_LIST {
    @Override
    Scripted dressed(Scripted scripted) {
      return written(scripted, "[TOOL_CALLS] [{\"name\": \"%s\", \"arguments\": %s}]");
    }
  },

  /** gpt-oss where nothing reads the harmony format. */
  HARMONY {
    @Override
    Scripted dressed(Scripted scripted) {
      return written(
          said(
              scripted,
              "<|channel|>analysis<|message|>They are well. %s<|end|><|start|>assistant"
                  + "<|channel|>final<|message|>%s<|return|>"),
          "<|channel|>analysis<|message|>I must look.<|end|><|start|>assistant<|channel|>"
              + "commentary to=functions.%s <|constrain|>json<|message|>%s<|call|>");
    }
  },

  /** Qwen and DeepSeek. */
  THINKS_ALOUD {
    @Override
    Scripted dressed(Scripted scripted) {
      return said(scripted, "<think>\nThey are well. %s\n</think>\n\n%s");
    }
  },

  /** The same with templates that open the block themselves. */
  THINKS_FROM_THE_START {
    @Override
    Scripted dressed(Scripted scripted) {
      return said(scripted, "They are well. %s\n</think>\n\n%s");
    }
  },

  /** DeepSeek without its readers: unopened reasoning, and tokens of its own for calls. */
  DEEPSEEK_UNREAD {
    @Override
    Scripted dressed(Scripted scripted) {
      return written(
          said(scripted, "They are well. %s\n</think>\n\n%s<｜end▁of▁sentence｜>"),
          "I must look.</think><｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>%s\n"
              + "```json\n%s\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>");
    }
  },

  /** Kimi, whose reasoning has triangles around it. */
  KIMI_UNREAD {
    @Override
    Scripted dressed(Scripted scripted) {
      return written(
          said(scripted, "◁think▷They are well. %s◁/think▷%s<|im_end|>"),
          "I will look.<|tool_calls_section_begin|><|tool_call_begin|>functions.%s:0"
              + "<|tool_call_argument_begin|>%s<|tool_call_end|><|tool_calls_section_end|>");
    }
  },

  /** Cohere's Command. */
  COHERE_UNREAD {
    @Override
    Scripted dressed(Scripted scripted) {
      return written(
          said(
              scripted,
              "<|START_THINKING|>They are well. %s<|END_THINKING|><|START_RESPONSE|>%s"
                  + "<|END_RESPONSE|>"),
          "<|START_THINKING|>I must look.<|END_THINKING|><|START_ACTION|>[{\"tool_call_id\": \"0\","
              + " \"tool_name\": \"%s\", \"parameters\": %s}]<|END_ACTION|>");
    }
  },

  /** Seed-OSS, which writes its calls as Qwen3-Coder does. */
  SEED_UNREAD {
    @Override
    Scripted dressed(Scripted scripted) {
      return tagged(
          said(scripted, "<seed:think>They are well. %s</seed:think>%s"),
          "<seed:tool_call>\n<function=%s>\n%s</function>\n</seed:tool_call>",
          "<parameter=%s>\n%s\n</parameter>\n");
    }
  },

  /** Gemma 4. */
  GEMMA_UNREAD {
    @Override
    Scripted dressed(Scripted scripted) {
      return tagged(
          said(scripted, "<|channel>thought\nThey are well. %s<channel|>%s<turn|>"),
          "<|tool_call>call:%s{%s}<tool_call|>",
          "%s:<|\"|>%s<|\"|>");
    }
  },

  /** Models that learnt to call tools from Anthropic's. */
  CALLS_AS_TAGS {
    @Override
    Scripted dressed(Scripted scripted) {
      return tagged(
          scripted,
          "I will look.\n<function_calls>\n<invoke name=\"%s\">\n%s</invoke>\n</function_calls>",
          "<parameter name=\"%s\">%s</parameter>\n");
    }
  },

  /** GLM. */
  CALLS_AS_KEYS {
    @Override
    Scripted dressed(Scripted scripted) {
      return tagged(
          scripted,
          "<tool_call>%s\n%s</tool_call>",
          "<arg_key>%s</arg_key>\n<arg_value>%s</arg_value>\n");
    }
  },

  /** Mistral's Magistral: the content is a list of parts, and the reasoning is one of them. */
  REASONS_IN_PARTS {
    @Override
    Scripted dressed(Scripted scripted) {
      return scripted.edited(completion -> {
        var message = Scripted.message(completion);
        var text = message.path("content").asText("");
        var parts = JSON.createArrayNode();
        var thought = parts.addObject().put("type", "thinking");
        thought.putArray("thinking").addObject().put("type", "text").put("text", "They are well.");
        parts.addObject().put("type", "text").put("text", text);
        parts.addObject().put("type", "reference").put("text", "They are well.");
        if (message.path("content").isTextual()) {
          message.set("content", parts);
        }
      });
    }
  },

  /** vLLM with a reader of reasoning, and many others. */
  REASONS_BESIDE {
    @Override
    Scripted dressed(Scripted scripted) {
      return scripted.edited(
          completion -> Scripted.message(completion).put("reasoning_content", "They are well."));
    }
  };

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  /** What it answers to a request that it does not take. */
  Optional<Scripted> refuses(Asked asked) {
    return Optional.empty();
  }

  /** An answer as this server gives it. */
  Scripted dressed(Scripted scripted) {
    return scripted;
  }

  private static List<String> roles(Asked asked) {
    return asked.messages().stream().map(message -> message.path("role").asText()).toList();
  }

  private static Optional<Scripted> flat(String sentence) {
    var root = JSON.createObjectNode().put("object", "error").put("message", sentence);
    root.put("type", "BadRequestError").putNull("param").put("code", 400);
    return Optional.of(Scripted.raw(400, "application/json", root.toString()));
  }

  private static Optional<Scripted> unsupported(Asked asked, String parameter) {
    return asked.body().has(parameter)
        ? Optional.of(
            Scripted.error(
                    400,
                    "Unsupported parameter: '" + parameter + "' is not supported with this model.",
                    "unsupported_parameter")
                .edited(error -> ((ObjectNode) error.path("error")).put("param", parameter)))
        : Optional.empty();
  }

  private static boolean isObject(String arguments) {
    try {
      return JSON.readTree(arguments).isObject();
    } catch (JsonProcessingException e) {
      return false;
    }
  }

  /** A text inside of this; the first place is a repetition of it in the model's thoughts. */
  private static Scripted said(Scripted scripted, String around) {
    return scripted.edited(completion -> {
      var message = Scripted.message(completion);
      var text = message.path("content");
      if (text.isTextual()) {
        message.put("content", around.formatted("I could say: " + text.asText(), text.asText()));
      }
    });
  }

  /** A call written like this instead of called. */
  private static Scripted written(Scripted scripted, String like) {
    return scripted.edited(completion -> {
      JsonNode function = Scripted.message(completion).at("/tool_calls/0/function");
      if (function.isObject()) {
        Scripted.message(completion)
            .put(
                "content",
                like.formatted(function.path("name").asText(), function.path("arguments").asText()))
            .remove("tool_calls");
        Scripted.choice(completion).put("finish_reason", "stop");
      }
    });
  }

  /** The same with a tag around each argument. */
  private static Scripted tagged(Scripted scripted, String like, String argument) {
    return scripted.edited(completion -> {
      JsonNode function = Scripted.message(completion).at("/tool_calls/0/function");
      if (function.isObject()) {
        var tags = new StringBuilder();
        read(function.path("arguments").asText())
            .properties()
            .forEach(entry ->
                tags.append(argument.formatted(entry.getKey(), entry.getValue().asText())));
        Scripted.message(completion)
            .put("content", like.formatted(function.path("name").asText(), tags))
            .remove("tool_calls");
        Scripted.choice(completion).put("finish_reason", "stop");
      }
    });
  }

  private static JsonNode read(String arguments) {
    try {
      return JSON.readTree(arguments);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
