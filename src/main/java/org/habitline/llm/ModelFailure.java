package org.habitline.llm;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Why a model gave no usable answer, what that means, and what an operator does about it. */
public enum ModelFailure {
  NO_CREDIT(
      "the account has no credit left",
      "Put credit on the account at the model's provider, or raise its limit there."),
  UNKNOWN_MODEL(
      "the account has no model of this name",
      "Set OPENAI_MODEL (or OPENAI_FALLBACK_MODEL, or the flow's model) to a model of the account."),
  KEY_REFUSED("the key is not accepted", "Set OPENAI_API_KEY to a valid key of the account."),
  TOO_MUCH(
      "too many requests for the limits of the account",
      "This usually passes. If it continues, raise the account's limits at the model's provider."),
  SERVER_BROKEN(
      "an error of the model's server",
      "This usually passes. If it continues, check the status page of the model's provider, or set"
          + " OPENAI_FALLBACK_MODEL."),
  TOO_LATE(
      "the model is too slow or cannot be reached",
      "This usually passes. If it continues, check whether this machine can reach OPENAI_BASE_URL."),
  /**
   * Anything else: an answer that is no chat completion, a request that was refused, a fault here.
   */
  OTHER(null, null);

  private final @Nullable String words;
  private final @Nullable String remedy;

  ModelFailure(@Nullable String words, @Nullable String remedy) {
    this.words = words;
    this.remedy = remedy;
  }

  /** Returns a sentence that says what to do, or empty if nobody knows. */
  public Optional<String> remedy() {
    return Optional.ofNullable(remedy);
  }

  /**
   * Returns what an error answer with this HTTP status means, if no code of the server says more.
   */
  public static ModelFailure ofStatus(int status) {
    return switch (status) {
      case 401 -> KEY_REFUSED;
      case 429 -> TOO_MUCH;
      default -> status >= 500 ? SERVER_BROKEN : OTHER;
    };
  }

  /** Returns a reason with what the failure means beside it, if that is known. */
  public static String explained(String reason, @Nullable ModelFailure failure) {
    return failure == null || failure.words == null ? reason : reason + ": " + failure.words;
  }
}
