package org.habitline.llm;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The reasons why a model gives no usable reply, each with its meaning and what an operator can do.
 */
public enum ModelFailure {
  NO_CREDIT(
      "the account has no credit left",
      "Add credit to the account at the model's provider, or raise its limit there."),
  UNKNOWN_MODEL(
      "the account has no model of this name",
      "Set OPENAI_MODEL (or OPENAI_FALLBACK_MODEL, or the flow's model) to a model of the account."),
  KEY_REFUSED("the key is not accepted", "Set OPENAI_API_KEY to a valid key of the account."),
  TOO_MUCH(
      "more requests than the account's limits allow",
      "This usually passes. If it continues, raise the account's limits at the model's provider."),
  SERVER_BROKEN(
      "an error on the model's server",
      "This usually passes. If it continues, check the status page of the model's provider, or set"
          + " OPENAI_FALLBACK_MODEL."),
  TOO_LATE(
      "the model is too slow or cannot be reached",
      "This usually passes. If it continues, check whether this machine can reach OPENAI_BASE_URL."),
  OTHER_MODEL(
      "another model answered than the one asked, and the study refuses that",
      "Set OPENAI_MODEL (or OPENAI_FALLBACK_MODEL, or the flow's model) to a model that the server"
          + " has, or declare the name that comes back in model_snapshots of config/study.yaml."),
  /**
   * Anything else: a reply that is not a chat completion, a refused request, or a fault in
   * Habitline.
   */
  OTHER(null, null);

  private final @Nullable String words;
  private final @Nullable String remedy;

  ModelFailure(@Nullable String words, @Nullable String remedy) {
    this.words = words;
    this.remedy = remedy;
  }

  /** Returns the lower-case word used in the record of a call. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns a sentence that says what to do, or empty if no remedy is known. */
  public Optional<String> remedy() {
    return Optional.ofNullable(remedy);
  }

  /**
   * Returns the failure that an HTTP status means when the server's error has no more specific
   * code.
   */
  public static ModelFailure ofStatus(int status) {
    return switch (status) {
      case 401 -> KEY_REFUSED;
      case 429 -> TOO_MUCH;
      default -> status >= 500 ? SERVER_BROKEN : OTHER;
    };
  }

  /** Returns the reason, followed by the meaning of the failure if it is known. */
  public static String explained(String reason, @Nullable ModelFailure failure) {
    return failure == null || failure.words == null ? reason : reason + ": " + failure.words;
  }
}
