package org.habitline.safety.alerts;

import jakarta.mail.AuthenticationFailedException;
import jakarta.mail.Authenticator;
import jakarta.mail.MessagingException;
import jakarta.mail.PasswordAuthentication;
import jakarta.mail.SendFailedException;
import jakarta.mail.Session;
import jakarta.mail.Transport;
import jakarta.mail.internet.AddressException;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Properties;
import org.habitline.protocol.AlertPlan.MailServer;
import org.habitline.protocol.AlertPlan.OnCall;
import org.habitline.protocol.AlertPlan.Security;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends alerts by e-mail (SMTP, RFC 5321). */
final class EmailSender implements AlertSender {

  private static final Logger log = LoggerFactory.getLogger(EmailSender.class);

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final MailServer server;
  private final Session session;

  EmailSender(MailServer server, @Nullable String password) {
    this.server = server;
    var user = server.user();
    this.session =
        Session.getInstance(
            properties(server),
            user == null || password == null
                ? null
                : new Authenticator() {
                  @Override
                  protected PasswordAuthentication getPasswordAuthentication() {
                    return new PasswordAuthentication(user, password);
                  }
                });
  }

  private static Properties properties(MailServer server) {
    var properties = new Properties();
    var patience = Long.toString(PATIENCE.toMillis());
    properties.put("mail.smtp.host", server.host());
    properties.put("mail.smtp.port", Integer.toString(server.port()));
    properties.put("mail.smtp.auth", Boolean.toString(server.user() != null));
    properties.put("mail.smtp.ssl.enable", Boolean.toString(server.security() == Security.TLS));
    var starttls = Boolean.toString(server.security() == Security.STARTTLS);
    properties.put("mail.smtp.starttls.enable", starttls);
    properties.put("mail.smtp.starttls.required", starttls);
    properties.put("mail.smtp.ssl.checkserveridentity", "true");
    properties.put("mail.smtp.connectiontimeout", patience);
    properties.put("mail.smtp.timeout", patience);
    properties.put("mail.smtp.writetimeout", patience);
    return properties;
  }

  @Override
  public void send(AlertWords words, OnCall to) throws AlertFailed {
    try {
      var message = new MimeMessage(session);
      message.setFrom(new InternetAddress(server.from(), true));
      message.setRecipient(
          MimeMessage.RecipientType.TO, new InternetAddress(to.email().orElse(""), true));
      message.setSubject(words.subject(), StandardCharsets.UTF_8.name());
      message.setText(words.body(), StandardCharsets.UTF_8.name());
      message.setHeader("X-Habitline-Alert", words.id());
      message.setHeader("Importance", "high");
      message.setHeader("Auto-Submitted", "auto-generated");
      message.saveChanges();
      send(message);
    } catch (AddressException e) {
      throw new AlertFailed(AlertFault.MISCONFIGURED);
    } catch (MessagingException e) {
      throw new AlertFailed(fault(e));
    }
  }

  /** Once the server took the message, it is sent, however the connection ends. */
  private void send(MimeMessage message) throws MessagingException {
    var transport = session.getTransport("smtp");
    try {
      transport.connect();
      transport.sendMessage(message, message.getAllRecipients());
    } finally {
      close(transport);
    }
  }

  private static void close(Transport transport) {
    try {
      transport.close();
    } catch (MessagingException e) {
      log.debug("A mail server did not end the connection in order: {}", e.getClass().getName());
    }
  }

  private static AlertFault fault(MessagingException e) {
    if (e instanceof AuthenticationFailedException || e instanceof SendFailedException) {
      return AlertFault.REFUSED;
    }
    return e.getCause() instanceof SocketTimeoutException
        ? AlertFault.TOO_SLOW
        : AlertFault.UNREACHABLE;
  }
}
