package org.habitline.llm.openai;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
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
 * What a server does not take: as the settings say for all of its models, and as its refusals
 * taught for one of them, until the process ends. Requests are adapted here only, on their way out;
 * what is journaled of them stays the same. Safe for any number of threads.
 */
final class Quirks {

  private static final Logger log = LoggerFactory.getLogger(Quirks.class);

  private static final String MAX_TOKENS = "max_tokens";
  private static final String MAX_COMPLETION_TOKENS = "max_completion_tokens";

  /** Parameters that may be taken and their value not. */
  private static final Set<String> VALUED =
      Set.of(MAX_TOKENS, MAX_COMPLETION_TOKENS, "temperature");

  /** A complaint about a value is none about the parameter. */
  private static final Pattern ABOUT_THE_VALUE =
      Pattern.compile(
          "maximum|minimum|too (large|small|high|low|long)|at (most|least)|less than|greater than"
              + "|between|range|[<>]",
          Pattern.CASE_INSENSITIVE);

  private static final Pattern ALTERNATE =
      Pattern.compile(
          "roles must alternate|alternat\\w+ (between )?user", Pattern.CASE_INSENSITIVE);

  private final boolean knowsCompletionTokens;
  private final Set<ModelQuirk> configured;
  private final ConcurrentMap<String, Set<ModelQuirk>> learnt = new ConcurrentHashMap<>();

  /**
   * Starts with what is known of a server.
   *
   * @param baseUrl where it is; none means OpenAI itself
   */
  Quirks(Optional<URI> baseUrl, Set<ModelQuirk> configured) {
    this.knowsCompletionTokens = isOpenAi(baseUrl);
    this.configured = Set.copyOf(configured);
  }

  /**
   * OpenAI refuses {@code max_tokens} for its reasoning models and wants {@code
   * max_completion_tokens}; compatible servers all know the older {@code max_tokens}, and several
   * ignore or refuse the newer name.
   */
  private static boolean isOpenAi(Optional<URI> baseUrl) {
    var host = baseUrl.map(URI::getHost).orElse("api.openai.com").toLowerCase(Locale.ROOT);
    return host.equals("openai.com") || host.endsWith(".openai.com") || Azure.isHost(host);
  }

  /** What holds for one model at this moment. */
  Known of(String model) {
    var all = EnumSet.noneOf(ModelQuirk.class);
    all.addAll(configured);
    all.addAll(learnt.getOrDefault(model, Set.of()));
    return new Known(Collections.unmodifiableSet(all), knowsCompletionTokens);
  }

  /**
   * What was known when a request was written.
   *
   * @param newName whether the bound of an answer goes by OpenAI's newer name
   */
  record Known(Set<ModelQuirk> quirks, boolean newName) {

    boolean has(ModelQuirk quirk) {
      return quirks.contains(quirk);
    }

    /** The name under which the bound of an answer is sent, or empty if no name is taken. */
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

    /** What a request held that a server may refuse, longer names first. */
    private Map<String, ModelQuirk> sent(ModelRequest request, boolean streamed) {
      var sent = new TreeMap<String, ModelQuirk>(Collections.reverseOrder());
      if (!request.tools().isEmpty()) {
        if (request.parallelToolCalls() != null) {
          sent.put("parallel_tool_calls", ModelQuirk.NO_PARALLEL_TOOL_CALLS);
        }
        if (!has(ModelQuirk.NO_TOOL_CHOICE)) {
          sent.put("tool_choice", ModelQuirk.NO_TOOL_CHOICE);
        } else if (request.mustSpeak()) {
          sent.put("tools", ModelQuirk.TOOLS_ALWAYS);
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
   * Learns from a refusal, if it names something that the request held.
   *
   * @param broke whether it looks like the server's own fault, so that only templates are believed
   * @param error what it says, or missing
   * @param known what was known when the request was written
   * @param streamed whether the answer was wanted piece by piece
   */
  Optional<ModelQuirk> learn(
      boolean broke,
      JsonNode error,
      ModelRequest request,
      String model,
      Known known,
      boolean streamed) {
    var complaint = Complaint.of(error);
    var taught =
        !known.has(ModelQuirk.ALTERNATING_ROLES) && ALTERNATE.matcher(complaint.words()).find()
            ? Optional.of(ModelQuirk.ALTERNATING_ROLES)
            : known.sent(request, streamed).entrySet().stream()
                .filter(entry -> !broke && complaint.isAbout(entry.getKey()))
                .map(Map.Entry::getValue)
                .findFirst();
    taught.ifPresent(quirk -> learn(model, quirk));
    return taught;
  }

  void learn(String model, ModelQuirk quirk) {
    var news =
        !configured.contains(quirk)
            && learnt.computeIfAbsent(model, any -> ConcurrentHashMap.newKeySet()).add(quirk);
    if (news) {
      log.info(
          "model {} is asked another way from now on ({}): {}",
          model,
          quirk.word(),
          quirk.meaning());
    }
  }

  /** One line for staff, or empty while nothing is known. */
  Optional<String> told() {
    var lines = new ArrayList<String>();
    if (!configured.isEmpty()) {
      lines.add("by the settings " + words(configured));
    }
    new TreeMap<>(learnt)
        .forEach((model, quirks) -> lines.add("learnt of " + model + " " + words(quirks)));
    return lines.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", lines));
  }

  private static String words(Set<ModelQuirk> quirks) {
    return quirks.stream().sorted().map(ModelQuirk::word).collect(Collectors.joining(", "));
  }

  /**
   * What a refusal says.
   *
   * @param parameter the parameter it is about, where the server says so apart; else empty
   * @param words its sentences, which may quote the request
   */
  private record Complaint(String parameter, String words) {

    static Complaint of(JsonNode error) {
      var words = new ArrayList<String>();
      collect(error, words);
      return new Complaint(
          error.path("param").isTextual() ? error.path("param").asText() : "",
          String.join(" ", words));
    }

    /** Not what servers repeat of the request itself. */
    private static void collect(JsonNode node, List<String> words) {
      if (node.isTextual()) {
        words.add(node.asText());
      } else if (node.isArray()) {
        node.forEach(one -> collect(one, words));
      } else if (node.isObject()) {
        for (var name : List.of("message", "msg", "detail", "loc", "error")) {
          collect(node.path(name), words);
        }
      }
    }

    boolean isAbout(String name) {
      if (VALUED.contains(name) && ABOUT_THE_VALUE.matcher(words).find()) {
        return false;
      }
      if (!parameter.isEmpty()) {
        return parameter.equals(name);
      }
      var word = "(?<!\\w)" + name.replace("_", "[_ ]") + "(?!\\w)";
      return Pattern.compile(word, Pattern.CASE_INSENSITIVE).matcher(words).find();
    }
  }
}
