package org.habitline.protocol;

import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.habitline.config.Section;

/**
 * The person whom participants can reach: the section {@code contact} of {@code config/study.yaml}.
 *
 * @param name how participants call them; a name of a duty is enough
 */
public record StudyContact(String name, Optional<String> phone, Optional<String> email) {

  /** What is wrong if a study with real people names nobody. */
  public static final String MISSING =
      "config/study.yaml names no contact: people who text HELP are not told whom to reach. Add a"
          + " section contact (see docs/safety.md).";

  private static final int LONGEST = 100;

  static StudyContact read(Section contact) {
    contact.only("name", "phone", "email");
    var read =
        new StudyContact(
            contact.text("name", LONGEST),
            Optional.ofNullable(contact.optionalText("phone", LONGEST)),
            Optional.ofNullable(contact.optionalText("email", LONGEST)));
    if (!contact.has("phone") && !contact.has("email")) {
      contact.refuse("", "expected phone, email or both");
    }
    read.phone()
        .filter(phone -> !phone.matches("[+0-9][0-9 ()./-]{2,29}"))
        .ifPresent(phone ->
            contact.refuse(
                "phone",
                "expected a phone number in quotes such as \"+1 206 555 0123\", found '"
                    + phone
                    + "'"));
    read.email()
        .filter(email -> !email.matches("[!-~]+@[!-~]+"))
        .ifPresent(
            email -> contact.refuse("email", "expected one e-mail address, found '" + email + "'"));
    return read;
  }

  /** Returns the contact for the end of a message, such as {@code Ana Ruiz: +1 206 555 0123}. */
  public String line() {
    return name
        + ": "
        + Stream.of(phone, email).flatMap(Optional::stream).collect(Collectors.joining(", "));
  }
}
