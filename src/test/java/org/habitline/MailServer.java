package org.habitline;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;

/** A mail server that tests send to. */
public final class MailServer {

  private MailServer() {}

  /** Starts a server on a port of its own, because GreenMail takes another at each start else. */
  public static GreenMail start() {
    var mail = new GreenMail(new ServerSetup(freePort(), "127.0.0.1", ServerSetup.PROTOCOL_SMTP));
    mail.start();
    return mail;
  }

  private static int freePort() {
    try (var free = new ServerSocket(0)) {
      return free.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
