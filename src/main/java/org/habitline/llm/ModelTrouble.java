package org.habitline.llm;

import java.util.Optional;
import java.util.regex.Pattern;

/** What the reason means for which a model gave no answer, and what an operator does about it. */
public enum ModelTrouble {
  NO_CREDIT(
      "the account has no credit left",
      "Put credit on the account at the model's provider, or raise its limit there."),
  UNKNOWN_MODEL(
      "the account has no model of this name",
      "Set OPENAI_MODEL (or OPENAI_FALLBACK_MODEL, or the flow's model) to one of the account."),
  KEY_REFUSED(
      "the key is not accepted", "Set OPENAI_API_KEY to a key of the account that is in force."),
  TOO_MUCH(
      "more was asked than the account may ask at once",
      "It passes by itself; if it lasts, raise the account's limits at the model's provider."),
  SERVER_BROKEN(
      "an error of the model's server",
      "It passes by itself; if it lasts, see what the model's provider says of its state, or set"
          + " OPENAI_FALLBACK_MODEL."),
  TOO_LATE(
      "the model is too slow or cannot be reached",
      "It passes by itself; if it lasts, look whether OPENAI_BASE_URL can be reached from this machine.");

  private static final Pattern STATUS = Pattern.compile("HTTP status (\\d{3})");

  private final String words;
  private final String remedy;

  ModelTrouble(String words, String remedy) {
    this.words = words;
    this.remedy = remedy;
  }

  /** A sentence. */
  public String remedy() {
    return remedy;
  }

  /** Returns what a reason tells of, or empty if it is no trouble with the model's server. */
  public static Optional<ModelTrouble> in(String reason) {
    if (reason.contains("(insufficient_quota)")) {
      return Optional.of(NO_CREDIT);
    }
    if (reason.contains("(model_not_found)")) {
      return Optional.of(UNKNOWN_MODEL);
    }
    if (reason.contains("did not answer in time")
        || reason.contains("the connection to the model's server failed")
        || reason.contains("the time was over before the model was asked")) {
      return Optional.of(TOO_LATE);
    }
    var status = STATUS.matcher(reason);
    return status.find() ? of(Integer.parseInt(status.group(1))) : Optional.empty();
  }

  private static Optional<ModelTrouble> of(int status) {
    return switch (status) {
      case 401 -> Optional.of(KEY_REFUSED);
      case 429 -> Optional.of(TOO_MUCH);
      default -> status >= 500 ? Optional.of(SERVER_BROKEN) : Optional.empty();
    };
  }

  /** Returns the reason with what it means beside it, if that is known. */
  public static String explained(String reason) {
    return in(reason)
        .filter(trouble -> !reason.contains(trouble.words))
        .map(trouble -> reason + ": " + trouble.words)
        .orElse(reason);
  }
}
