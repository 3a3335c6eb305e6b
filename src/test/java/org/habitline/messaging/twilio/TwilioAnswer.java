package org.habitline.messaging.twilio;

import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * What the fake does with one request that is within the rules.
 *
 * @param accepts whether the message is taken; for a read, whether it is carried out
 * @param failure what is answered in place of the result
 * @param json whether the body is JSON, or a page as proxies send
 * @param ending what becomes of the answer on its way
 * @param before nothing is done before this latch opens, if there is one
 * @param after nothing is answered before this latch opens, if there is one
 */
public record TwilioAnswer(
    boolean accepts,
    @Nullable Failure failure,
    boolean json,
    Ending ending,
    @Nullable CountDownLatch before,
    @Nullable CountDownLatch after) {

  /** An HTTP status and Twilio's code. */
  record Failure(int status, int code) {}

  /** How an answer ends on the wire. */
  enum Ending {
    WHOLE,
    CONNECTION_CLOSED_UNANSWERED,
    NEVER
  }

  public static TwilioAnswer accept() {
    return new TwilioAnswer(true, null, true, Ending.WHOLE, null, null);
  }

  /** Nothing is accepted; an error in Twilio's format. */
  public static TwilioAnswer fail(int httpStatus, int code) {
    return refused(new Failure(httpStatus, code));
  }

  /** Nothing is accepted; a page of HTML, which carries no code. */
  public static TwilioAnswer failWithoutJson(int httpStatus) {
    return fail(httpStatus, 0).withoutJson();
  }

  /** The message is accepted and nobody is told until {@link FakeTwilio#release}. */
  public static TwilioAnswer acceptThenHang() {
    return accept().ending(Ending.NEVER);
  }

  /** The message is accepted, but the answer is a failure: 500, 503, 504. */
  public static TwilioAnswer acceptThenStatus(int httpStatus) {
    return new TwilioAnswer(
        true, new Failure(httpStatus, 20_000 + httpStatus), true, Ending.WHOLE, null, null);
  }

  /** The message is accepted; the connection closes before the first byte of an answer. */
  public static TwilioAnswer acceptThenReset() {
    return accept().ending(Ending.CONNECTION_CLOSED_UNANSWERED);
  }

  /** Nothing is accepted and nothing is answered; on release the connection closes. */
  public static TwilioAnswer hangWithoutAccepting() {
    return refused(null).ending(Ending.NEVER);
  }

  /** Nothing is accepted; the connection closes before the first byte of an answer. */
  public static TwilioAnswer resetWithoutAccepting() {
    return refused(null).ending(Ending.CONNECTION_CLOSED_UNANSWERED);
  }

  /** The same status with a page of HTML for a body, even after accepting. */
  public TwilioAnswer withoutJson() {
    return new TwilioAnswer(accepts, failure, false, ending, before, after);
  }

  /** The request has come in, and nothing is done with it until the test lets it go. */
  public TwilioAnswer heldBeforeAccepting(CountDownLatch latch) {
    return new TwilioAnswer(accepts, failure, json, ending, latch, after);
  }

  /** What is to be accepted is accepted; the answer waits until the test lets it go. */
  public TwilioAnswer heldAfterAccepting(CountDownLatch latch) {
    return new TwilioAnswer(accepts, failure, json, ending, before, latch);
  }

  private static TwilioAnswer refused(@Nullable Failure failure) {
    return new TwilioAnswer(false, failure, true, Ending.WHOLE, null, null);
  }

  private TwilioAnswer ending(Ending newEnding) {
    return new TwilioAnswer(accepts, failure, json, newEnding, before, after);
  }
}
