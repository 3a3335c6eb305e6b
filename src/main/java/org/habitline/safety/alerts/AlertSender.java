package org.habitline.safety.alerts;

import org.habitline.protocol.AlertPlan.OnCall;

/** Sends alerts in one way. Safe for any number of threads. */
interface AlertSender {

  /**
   * Sends an alert. Returns once its server took it, or after half a minute without an answer.
   *
   * @throws AlertFailed if the server did not take it, or it is not known whether it did
   */
  void send(AlertWords words, OnCall to) throws AlertFailed;
}
