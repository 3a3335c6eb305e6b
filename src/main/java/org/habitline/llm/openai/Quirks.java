package org.habitline.llm.openai;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.habitline.llm.ModelQuirk;
import org.habitline.llm.ModelRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Remembers what a server refuses. The settings name quirks for every model; others are learned for
 * one model from the server's refusals and kept until the process ends. Requests are adapted only
 * when they are sent; the journal keeps them unchanged. Safe for any number of threads.
 */
final class Quirks {

  private static final Logger log = LoggerFactory.getLogger(Quirks.class);

  private static final String MAX_TOKENS = "max_tokens";
  private static final String MAX_COMPLETION_TOKENS = "max_completion_tokens";

  private static final String TOOLS = "tools";

  /** Parameters that a server may know although it refuses their value. */
  private static final Set<String> VALUED =
      Set.of(MAX_TOKENS, MAX_COMPLETION_TOKENS, "temperature");

  /** Matches errors about a parameter's value, which leaving the parameter out does not solve. */
  private static final Pattern ABOUT_THE_VALUE =
      Pattern.compile(
          "maximum|minimum|too (large|small|high|low|long)|at (most|least)|less than|greater than"
              + "|between|range|[<>]",
          Pattern.CASE_INSENSITIVE);

  private static final Pattern ALTERNATE =
      Pattern.compile(
          "roles must alternate|alternat\\w+ (between )?user", Pattern.CASE_INSENSITIVE);

  /** Words by which a server refuses the parameter named near them. */
  private static final String REFUSED =
      "(?:unsupported|not (?:currently |yet )?supported|(?:does not|doesn't) support|unknown"
          + "|unrecogni[sz]ed|unexpected|extra|invalid|not (?:permitted|allowed|available|accepted)"
          + "|forbidden|cannot|deprecated|should be)";

  /** Words by which a server demands tools although the request had none. */
  private static final String WANTED =
      "(?:must|requires?|required|expects?|expected|needs?|missing|without)";

  /**
   * What may separate a parameter's name from the word that refuses it: at most 40 characters of
   * the same sentence.
   */
  private static final String NEAR = "(?:(?![.!?]\\s)[\\s\\S]){0,40}?";

  /**
   * Failures to stream before a model counts as unable to: a single failure may have another cause,
   * such as an overloaded server.
   */
  private static final int FAILURES_THAT_TEACH = 2;

  private final boolean knowsCompletionTokens;
  private final Set<ModelQuirk> configured;
  private final ConcurrentMap<String, Set<ModelQuirk>> learnt = new ConcurrentHashMap<>();

  /** How many times in a row a model replied only without streaming, by model. */
  private final ConcurrentMap<String, Integer> unstreamed = new ConcurrentHashMap<>();

  /**
   * Creates the memory with the quirks that the settings name.
   *
   * @param baseUrl the address of the server; none means OpenAI itself
   */
  Quirks(Optional<URI> baseUrl, Set<ModelQuirk> configured) {
    this.knowsCompletionTokens = isOpenAi(baseUrl);
    this.configured = Set.copyOf(configured);
  }

  /**
   * Returns whether the server is OpenAI's or Azure's. OpenAI's reasoning models refuse {@code
   * max_tokens} and require {@code max_completion_tokens}. All compatible servers know {@code
   * max_tokens}; several ignore or refuse the newer name.
   */
  private static boolean isOpenAi(Optional<URI> baseUrl) {
    var host = baseUrl.map(URI::getHost).orElse("api.openai.com").toLowerCase(Locale.ROOT);
    return host.equals("openai.com") || host.endsWith(".openai.com") || Azure.isHost(host);
  }

  /** Returns the quirks known for a model. */
  Known of(String model) {
    return of(model, Set.of());
  }

  /** Returns the quirks known for a model and those that one request tries out. */
  Known of(String model, Set<ModelQuirk> tried) {
    var all = EnumSet.noneOf(ModelQuirk.class);
    all.addAll(configured);
    all.addAll(learnt.getOrDefault(model, Set.of()));
    all.addAll(tried);
    return new Known(Collections.unmodifiableSet(all), knowsCompletionTokens);
  }

  /**
   * The quirks that a request takes account of.
   *
   * @param newName whether the limit of a reply is called {@code max_completion_tokens}
   */
  record Known(Set<ModelQuirk> quirks, boolean newName) {

    boolean has(ModelQuirk quirk) {
      return quirks.contains(quirk);
    }

    Known without(ModelQuirk quirk) {
      var others = EnumSet.copyOf(quirks);
      others.remove(quirk);
      return new Known(Collections.unmodifiableSet(others), newName);
    }

    /** Returns the parameter that limits a reply, or empty if the server refuses both names. */
    Optional<String> tokenLimit() {
      return Stream.of(MAX_COMPLETION_TOKENS, MAX_TOKENS, MAX_COMPLETION_TOKENS)
          .skip(newName ? 0 : 1)
          .filter(name -> !has(refusalOf(name)))
          .findFirst();
    }

    private static ModelQuirk refusalOf(String name) {
      return name.equals(MAX_TOKENS)
          ? ModelQuirk.NO_MAX_TOKENS
          : ModelQuirk.NO_MAX_COMPLETION_TOKENS;
    }

    /** Returns the parameters of a request that a server may refuse, longer names first. */
    private Map<String, ModelQuirk> sent(ModelRequest request, boolean streamed) {
      var sent = new TreeMap<String, ModelQuirk>(Collections.reverseOrder());
      if (!request.tools().isEmpty()) {
        if (request.parallelToolCalls() != null) {
          sent.put("parallel_tool_calls", ModelQuirk.NO_PARALLEL_TOOL_CALLS);
        }
        if (!has(ModelQuirk.NO_TOOL_CHOICE)) {
          sent.put("tool_choice", ModelQuirk.NO_TOOL_CHOICE);
        } else if (request.mustSpeak()) {
          sent.put(TOOLS, ModelQuirk.TOOLS_ALWAYS);
        }
      }
      if (request.temperature() != null) {
        sent.put("temperature", ModelQuirk.NO_TEMPERATURE);
      }
      if (request.maxTokens() != null) {
        tokenLimit().ifPresent(name -> sent.put(name, refusalOf(name)));
      }
      if (streamed) {
        sent.put("stream", ModelQuirk.NO_STREAMING);
        sent.put("stream_options", ModelQuirk.NO_STREAM_OPTIONS);
      }
      sent.values().removeAll(quirks);
      return sent;
    }
  }

  /**
   * Returns the quirk that a refusal shows, or empty if the refusal names nothing in the request.
   * The caller tries the quirk and {@linkplain #learn reports} it if it helped.
   *
   * @param broke whether the status is a server error; then only errors of chat templates count
   * @param error the server's error, or missing
   * @param known the quirks that the request already took into account
   * @param streamed whether the request asked for a stream
   */
  Optional<ModelQuirk> shownBy(
      boolean broke, JsonNode error, ModelRequest request, Known known, boolean streamed) {
    var complaint = Complaint.of(error);
    if (!known.has(ModelQuirk.ALTERNATING_ROLES) && ALTERNATE.matcher(complaint.words()).find()) {
      return Optional.of(ModelQuirk.ALTERNATING_ROLES);
    }
    return known.sent(request, streamed).entrySet().stream()
        .filter(entry -> !broke && complaint.refuses(entry.getKey()))
        .map(Map.Entry::getValue)
        .findFirst();
  }

  /** Remembers quirks after the model replied to a request that took them into account. */
  void learn(String model, Set<ModelQuirk> helped) {
    for (var quirk : helped) {
      if (quirk == ModelQuirk.NO_STREAMING) {
        answeredUnstreamed(model);
      } else {
        remember(model, quirk);
      }
    }
  }

  /** Records that the model failed to stream a reply and then gave one without streaming. */
  void answeredUnstreamed(String model) {
    if (unstreamed.merge(model, 1, Integer::sum) >= FAILURES_THAT_TEACH) {
      remember(model, ModelQuirk.NO_STREAMING);
    }
  }

  /** Records that the model streamed a reply. */
  void answeredStreamed(String model) {
    unstreamed.remove(model);
  }

  private void remember(String model, ModelQuirk quirk) {
    var isNew =
        !configured.contains(quirk)
            && learnt.computeIfAbsent(model, any -> ConcurrentHashMap.newKeySet()).add(quirk);
    if (isNew) {
      log.info(
          "Habitline adapts its requests to model {} from now on ({}): {}",
          model,
          quirk.word(),
          quirk.meaning());
    }
  }

  /** Returns one line for staff that lists the quirks, or empty if there are none. */
  Optional<String> told() {
    var lines = new ArrayList<String>();
    if (!configured.isEmpty()) {
      lines.add("set for every model: " + words(configured));
    }
    new TreeMap<>(learnt)
        .forEach((model, quirks) -> lines.add("learnt for " + model + ": " + words(quirks)));
    return lines.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", lines));
  }

  private static String words(Set<ModelQuirk> quirks) {
    return quirks.stream().sorted().map(ModelQuirk::word).collect(Collectors.joining(", "));
  }

  /**
   * The server's reason for refusing a request.
   *
   * @param fields the parameters that the error names in separate fields
   * @param code the error's code, or empty
   * @param words the error's sentences, which may quote the request
   */
  private record Complaint(Set<String> fields, String code, String words) {

    private static final String BODY = "body";

    static Complaint of(JsonNode error) {
      var fields = new HashSet<String>();
      var words = new ArrayList<String>();
      collect(error, fields, words);
      return new Complaint(fields, error.path("code").asText(""), String.join(" ", words));
    }

    /**
     * Collects fields and sentences, but not from fields that repeat the request, such as FastAPI's
     * {@code input}.
     */
    private static void collect(JsonNode node, Set<String> fields, List<String> words) {
      if (node.isTextual()) {
        words.add(node.asText());
      } else if (node.isArray()) {
        node.forEach(one -> collect(one, fields, words));
      } else if (node.isObject()) {
        Stream.of(node.path("param").asText(""), parameter(node.path("loc")))
            .filter(field -> !field.isEmpty())
            .forEach(fields::add);
        for (var name : List.of("message", "msg", "detail", "error")) {
          collect(node.path(name), fields, words);
        }
      }
    }

    /** Returns the parameter that FastAPI's path names, such as {@code ["body", "tool_choice"]}. */
    private static String parameter(JsonNode loc) {
      return loc.path(loc.path(0).asText().equals(BODY) ? 1 : 0).asText("");
    }

    /**
     * Returns whether the error refuses a parameter. A separate field is certain; in a sentence,
     * the name must be near a word of refusal.
     */
    boolean refuses(String name) {
      if (VALUED.contains(name) && ABOUT_THE_VALUE.matcher(words).find()) {
        return false;
      }
      if (!fields.isEmpty()) {
        return fields.contains(name);
      }
      if (code.equals(name)) {
        return true;
      }
      var word = "(?<!\\w)" + name.replace("_", "[_ ]") + "(?!\\w)";
      var refusal = name.equals(TOOLS) ? WANTED : REFUSED;
      return Pattern.compile(
              refusal + NEAR + word + "|" + word + NEAR + refusal, Pattern.CASE_INSENSITIVE)
          .matcher(words)
          .find();
    }
  }
}
