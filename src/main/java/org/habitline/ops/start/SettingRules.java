package org.habitline.ops.start;

import io.micronaut.core.value.PropertyResolver;
import java.util.Optional;
import java.util.stream.Stream;
import org.habitline.ops.access.Loopback;

/** Checks the rules between settings, each of which is valid by itself. */
final class SettingRules {

  private final PropertyResolver values;
  private final String host;

  private SettingRules(PropertyResolver values) {
    this.values = values;
    this.host = Setting.HABITLINE_HOST.in(values).orElse("");
  }

  /**
   * Checks every rule.
   *
   * @throws StartFailure with one sentence for the first rule that is broken
   */
  static void check(PropertyResolver values) {
    var rules = new SettingRules(values);
    rules.aDatabaseUserNeedsADatabase();
    rules.anApiVersionNeedsAnAddress();
    if (rules.isSet(Setting.TWILIO_ACCOUNT_SID)) {
      rules.anAccountNeedsItsTokenAndASender();
      rules.unsignedCallsComeFromThisMachineOnly();
    } else {
      rules.aSenderNeedsAnAccount();
    }
    rules.aLineReachedFromElsewhereNeedsAnAdminKey();
  }

  /**
   * Checks the rules between the settings of the model server only.
   *
   * @throws StartFailure with one sentence for the first rule that is broken
   */
  static void checkModel(PropertyResolver values) {
    new SettingRules(values).anApiVersionNeedsAnAddress();
  }

  private void aDatabaseUserNeedsADatabase() {
    if (isSet(Setting.DATABASE_URL)) {
      return;
    }
    firstSet(Setting.DATABASE_USER, Setting.DATABASE_PASSWORD)
        .ifPresent(setting -> {
          throw new StartFailure(
              "DATABASE_URL: not set; expected "
                  + SettingKind.DATABASE.accepted()
                  + ", because "
                  + setting.variable()
                  + " is set. The H2 file in data does not use it.");
        });
  }

  private void anApiVersionNeedsAnAddress() {
    if (isSet(Setting.OPENAI_API_VERSION) && !isSet(Setting.OPENAI_BASE_URL)) {
      throw new StartFailure(
          "OPENAI_API_VERSION: set without OPENAI_BASE_URL; expected the address of the Azure resource"
              + " there, such as https://name.openai.azure.com.");
    }
  }

  private void anAccountNeedsItsTokenAndASender() {
    if (!isSet(Setting.TWILIO_AUTH_TOKEN)) {
      throw new StartFailure(
          "TWILIO_AUTH_TOKEN: not set; expected the token of TWILIO_ACCOUNT_SID, which is set.");
    }
    if (firstSet(
            Setting.TWILIO_SMS_FROM,
            Setting.TWILIO_WHATSAPP_FROM,
            Setting.TWILIO_MESSAGING_SERVICE_SID)
        .isEmpty()) {
      throw new StartFailure(
          "TWILIO_SMS_FROM, TWILIO_WHATSAPP_FROM, TWILIO_MESSAGING_SERVICE_SID: none is set; expected at least"
              + " one sender, because TWILIO_ACCOUNT_SID is set.");
    }
  }

  private void unsignedCallsComeFromThisMachineOnly() {
    if (Setting.TWILIO_VALIDATE_SIGNATURE.in(values).filter("false"::equals).isPresent()
        && (!Loopback.isLoopback(host) || isSet(Setting.HABITLINE_PUBLIC_URL))) {
      throw new StartFailure(
          "TWILIO_VALIDATE_SIGNATURE: 'false' is accepted only on a loopback address"
              + " (HABITLINE_HOST) and without HABITLINE_PUBLIC_URL, because without it anyone"
              + " could send texts as any participant.");
    }
  }

  /** Without the account no real phone can be reached, whatever else is set for Twilio. */
  private void aSenderNeedsAnAccount() {
    firstSet(
            Setting.TWILIO_AUTH_TOKEN,
            Setting.TWILIO_SMS_FROM,
            Setting.TWILIO_WHATSAPP_FROM,
            Setting.TWILIO_MESSAGING_SERVICE_SID)
        .ifPresent(setting -> {
          throw new StartFailure(
              "TWILIO_ACCOUNT_SID: not set; expected "
                  + SettingKind.ACCOUNT_SID.accepted()
                  + ", because "
                  + setting.variable()
                  + " is set, and without the account no message can be sent.");
        });
  }

  private void aLineReachedFromElsewhereNeedsAnAdminKey() {
    if (!Loopback.isLoopback(host) && !isSet(Setting.HABITLINE_ADMIN_KEY)) {
      throw new StartFailure(
          "HABITLINE_ADMIN_KEY: not set; expected at least 16 characters, because HABITLINE_HOST ('"
              + host
              + "') is not a loopback address, and without a key no one could sign in safely.");
    }
  }

  private boolean isSet(Setting setting) {
    return setting.in(values).isPresent();
  }

  private Optional<Setting> firstSet(Setting... settings) {
    return Stream.of(settings).filter(this::isSet).findFirst();
  }
}
