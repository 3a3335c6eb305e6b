package org.habitline.messaging;

import java.time.Duration;

/** What a channel says of one attempt to send a text. */
public sealed interface Delivery {

  /** The provider has it, under this id. */
  record Accepted(String providerId) implements Delivery {}

  /** The provider certainly did not take it; trying again after the wait may work. */
  record Deferred(String reason, Duration pause) implements Delivery {}

  /** The provider will not take it; trying again is useless. */
  record Refused(String reason) implements Delivery {}

  /** The person told the provider to be left alone: from now on nothing may be sent to them. */
  record OptedOut(String reason) implements Delivery {}

  /** Nothing is wrong with the text: it waits until the line's account or sender is put right. */
  record Misconfigured(String reason) implements Delivery {}

  /** It may have gone out. It is looked up before anything is sent again. */
  record Unknown(String reason) implements Delivery {}
}
