package org.habitline.participants;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A participant's consent as it stands. Every step that led there is a {@link ConsentEntry}.
 *
 * @param version the version of the consent text that the state is about, or {@code null}
 * @param at when the state was reached, in study time, or {@code null} if nothing was asked
 * @param minAge the age that they said they have reached, in years; 0 if they were never asked.
 *     Their age itself is not stored
 * @param unclear how many answers in a row could not be understood
 */
public record Consent(
    ConsentState state, @Nullable String version, @Nullable Instant at, int minAge, int unclear) {

  /** Nothing was asked. */
  public static final Consent NONE = new Consent(ConsentState.NOT_ASKED, null, null, 0, 0);

  /** Returns consent that was obtained elsewhere. */
  public static Consent elsewhere(String version, Instant at) {
    return new Consent(ConsentState.ELSEWHERE, version, at, 0, 0);
  }

  /** Returns whether they consented to exactly this version. */
  public boolean covers(String wanted) {
    return state.isConsent() && wanted.equals(version);
  }

  /** Returns the next state, of this version, with no unclear answers. */
  public Consent to(ConsentState next, @Nullable String ofVersion, Instant when) {
    return new Consent(next, ofVersion, when, minAge, 0);
  }

  /** Returns the same with an age that they have reached. */
  public Consent atLeast(int years) {
    return new Consent(state, version, at, years, 0);
  }

  /** Returns the same with one more unclear answer. */
  public Consent unclearAgain() {
    return new Consent(state, version, at, minAge, unclear + 1);
  }
}
