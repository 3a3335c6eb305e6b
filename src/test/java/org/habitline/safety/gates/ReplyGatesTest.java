package org.habitline.safety.gates;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.i18n.phonenumbers.PhoneNumberUtil;
import com.google.i18n.phonenumbers.PhoneNumberUtil.PhoneNumberFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.habitline.Patience;
import org.habitline.protocol.GatePlan;
import org.habitline.protocol.ReplyGate;
import org.habitline.safety.rules.BrokenRules;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What each gate blocks, and what it lets pass. */
final class ReplyGatesTest {

  private static final Path NOWHERE = Path.of("target", "no-home");
  private static final String INSTRUCTIONS =
      """
      You are a coach. Never judge a miss. Not doing it is as useful to know as doing it, and say so kindly.
      Show this example: "When your phone buzzes, take about fifty steps around
      the room and then sit down again." Then ask whether they want to try it right now or make it personal first.
      If they are in danger, answer only with this text: Please call 999 now, or find help at findahelpline.com.
      """;
  private static final String RESOURCES = "Please call 999 now, or find help at findahelpline.com.";

  private static ReplyGates only(ReplyGate gate) {
    return ReplyGates.of(NOWHERE, new GatePlan(Set.of(gate)));
  }

  private static final ReplyGates ALL = ReplyGates.of(NOWHERE, GatePlan.all());
  private static final ReplyGates CONTACTS = only(ReplyGate.CONTACTS);
  private static final ReplyGates MEDICAL = only(ReplyGate.MEDICAL);
  private static final ReplyGates INSTRUCTED = only(ReplyGate.INSTRUCTIONS);
  private static final ReplyGates CLAIMS = only(ReplyGate.CLAIMS);
  private static final ReplyGates LANGUAGE = only(ReplyGate.LANGUAGE);

  private static Shown shown(List<String> said) {
    return new Shown(
        List.of(
            INSTRUCTIONS,
            "My doctor is on +44 20 7946 0958, and the clinic is at"
                + " https://clinic.example.org/hours.",
            "Reach me at robin@example.org or 0171 555 0199."),
        List.of(INSTRUCTIONS),
        List.of(RESOURCES),
        said,
        "US",
        Shown.ENGLISH);
  }

  @Test
  void nationalAndInternationalPhoneNumbersOfAllCountriesAreContacts() {
    var phones = PhoneNumberUtil.getInstance();
    var missed = new ArrayList<String>();
    for (var region : phones.getSupportedRegions()) {
      var number = phones.getExampleNumber(region);
      var shown = new Shown(List.of(), List.of(), List.of(), List.of(), region, Shown.ENGLISH);
      for (var form : List.of(PhoneNumberFormat.NATIONAL, PhoneNumberFormat.INTERNATIONAL)) {
        var text = "Please call " + phones.format(number, form) + ".";
        if (CONTACTS.check(new Candidate(text, shown, Done.NOTHING)) instanceof Verdict.Pass) {
          missed.add(region);
        }
      }
    }
    // In New Caledonia, numbers look like dates: 20.12.34.
    assertThat(missed).containsOnly("NC");
  }

  private static boolean blocks(ReplyGates gates, String text) {
    return blocks(gates, text, Done.NOTHING);
  }

  private static boolean blocks(ReplyGates gates, String text, Done done, String... said) {
    return gates.check(new Candidate(text, shown(List.of(said)), done)) instanceof Verdict.Blocked;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Please call 1-800-273-8255 any time.",
        "You can reach the helpline at 0800 123 4567.",
        "Call (555) 010-9999 for help.",
        "The number is +1 206 555 0100.",
        "Call 988 now.",
        "Text HOME to 741741.",
        "The 988 lifeline is open day and night.",
        "If it gets worse, dial 911.",
        "911 is the number for emergencies.",
        "Samaritans are on 116 123, free at any hour.",
        "In Spain, llama al 024.",
        "Dial 9-1-1 right away.",
        "Their number: 08001234567.",
        "Their number: ０８００ １２３ ４５６７.",
        "Visit www.crisis-helpers.org today.",
        "See https://example.com/walk for more.",
        "Look at happysteps.com for ideas.",
        "There is a page at findahelpline.com/us/seattle for you.",
        "Write to help@lifeline.org.",
        "Mail coach@habitline.example if you need me.",
        "Look at habits help dot com for ideas.",
        "It is on happysteps DOT org.",
        "See happysteps (dot) com today.",
        "It is at happysteps . com, if you like.",
        "Mira habitos sanos punto com para más ideas.",
        "Escribe a ayuda arroba vida punto org.",
        "Open http://93.184.216.34/walk now.",
        "Open 93.184.216.34/walk now.",
        "The page is at 10.0.0.5:8080.",
        "La página está en 93.184.216.34.",
        "The crisis line is 13 11 14.",
        "The crisis line is always open: 13 11 14",
        "Lifeline is on 13 11 14.",
        "Their hotline: 1737.",
        "La línea de crisis es 13 11 14.",
        "La línea de la vida está en el 131114.",
        "Escribe al 741741."
      })
  void aContactThatNobodyGaveIsBlocked(String text) {
    assertThat(blocks(CONTACTS, text)).as(text).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Please call 999 now, or find help at findahelpline.com.",
        "Call 999 now.",
        "You find help at https://www.findahelpline.com/.",
        "Your doctor is on 020 7946 0958.",
        "Your doctor's number is +442079460958.",
        "The clinic's hours are at clinic.example.org/hours.",
        "I can see robin@example.org and 0171 5550199 here.",
        "Do 10-15 reps, then 3 sets of 12.",
        "Your first workout is on 2026-11-25 at 18:30.",
        "How about 7:30, or between 08:00-09:00?",
        "Aim for 2000-2500 steps, or 10,000 if you like.",
        "That is about 1500-1800 kcal a day.",
        "It costs $12.50, or 1,200.00 dollars a year.",
        "Text me after 100 steps.",
        "You can reach 150 steps today!",
        "Walk for 112 seconds, then 911 steps more.",
        "It was on 25.11.2026 or 11/25/2026.",
        "Try 20 squats, 15 push-ups, 30 seconds of plank.",
        "Great job.Then rest a bit.",
        "That is it.me too!",
        "You did 3.5 km in 45 min, at 120 bpm.",
        "Call your local emergency number now.",
        "In 2024 you walked, e.g. at 8 a.m. and p.m.",
        "Do 12-12-12 or 5-10-15.",
        "Connect dot one to the next dot on the page.",
        "En este punto es mejor parar. Es todo.",
        "Hasta ese punto me parece bien.",
        "Walk to the dot . It helps.",
        "Version 1.2.3 is fine, 25.11.2026 too.",
        "Walk to the end of the line, 100 steps.",
        "The finish line is 200 meters away.",
        "Stand in line for 120 seconds.",
        "Camina en línea recta 100 pasos.",
        "Escribe 150 palabras hoy."
      })
  void whatWasGivenAndPlainNumbersPass(String text) {
    assertThat(blocks(CONTACTS, text)).as(text).isFalse();
  }

  @Test
  void aPassageThatASearchFoundIsASource() {
    var found =
        new Done(
            Set.of(), false, List.of(), List.of("Ask IT: +1 206 555 0147, it.example.com/help"));
    assertThat(blocks(CONTACTS, "IT is on (206) 555-0147 and at it.example.com/help.", found))
        .isFalse();
    assertThat(blocks(CONTACTS, "IT is on (206) 555-0148.", found)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Take 400mg before the walk.",
        "You could take two ibuprofen first.",
        "Double your dose tonight.",
        "Stop taking your medication for a while.",
        "It sounds like you have tendinitis.",
        "You probably have depression.",
        "This could be a stress fracture.",
        "That is a sign of an infection.",
        "You are diabetic, so skip the cake.",
        "Toma dos pastillas antes de salir.",
        "Toma 500 mg de paracetamol.",
        "Seguramente tienes una tendinitis.",
        "Parece que es una infección.",
        "Deja de tomar la medicación.",
        "Take two tablets.",
        "Take five milligrams tonight.",
        "A couple of tablets before bed will help.",
        "Five hundred milligrams of that is enough.",
        "Use ten units of insulin.",
        "Try taking six capsules with water.",
        "Toma dos pastillas.",
        "Toma cinco miligramos esta noche.",
        "Tómate un par de comprimidos.",
        "Dos pastillas antes de dormir bastan.",
        "Quinientos miligramos de eso bastan."
      })
  void dosesAndDiagnosesAreBlocked(String text) {
    assertThat(blocks(MEDICAL, text)).as(text).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Please ask your doctor about that.",
        "Don't stop taking your medication without asking your doctor.",
        "Talk to your doctor before you change your dose.",
        "Eat 20 g of protein after the workout.",
        "Keep it under 2000 mg of sodium a day.",
        "Drink 200 ml of water.",
        "Take three slow breaths.",
        "I am sorry that your knee hurts.",
        "Take two minutes for yourself.",
        "Did you take your pills today?",
        "Consulta a tu médico antes de cambiar la dosis.",
        "Bebe un vaso de agua.",
        "Toma dos respiraciones lentas.",
        "Take two minutes and five steps.",
        "Five hundred steps before lunch, then two glasses of water.",
        "Under two hundred milligrams of caffeine a day is fine for many people.",
        "Did you take your two tablets with food?",
        "Toma cinco minutos para ti.",
        "Dos vasos de agua antes de comer.",
        "Menos de doscientos miligramos de cafeína al día."
      })
  void ordinaryAdvicePasses(String text) {
    assertThat(blocks(MEDICAL, text)).as(text).isFalse();
  }

  @Test
  void aConditionThatTheyNamedIsNoDiagnosis() {
    var text = "As you have asthma, take it slowly.";
    assertThat(blocks(MEDICAL, text)).isTrue();
    assertThat(blocks(MEDICAL, text, Done.NOTHING, "I have asthma")).isFalse();
  }

  @Test
  void aLongRunOfTheInstructionsIsBlockedButNotWhatTheyQuote() {
    assertThat(
            blocks(
                INSTRUCTED,
                "My rules: never judge a miss. Not doing it is as useful to know as doing it!"))
        .isTrue();
    assertThat(blocks(INSTRUCTED, "Not doing it is as useful to know as doing it.")).isFalse();
    assertThat(
            blocks(
                INSTRUCTED,
                "Hello! When your phone buzzes, take about fifty steps around the room and then sit"
                    + " down again. Want to?"))
        .isFalse();
    assertThat(blocks(INSTRUCTED, RESOURCES)).isFalse();
    assertThat(
            blocks(
                INSTRUCTED,
                "Now I ask whether they want to try it right now or make it personal first"))
        .isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"en", "es"})
  void claimsAreToldFromOrdinarySentences(String language) throws IOException {
    var wrong = new ArrayList<String>();
    var lines =
        Files.readAllLines(Path.of("src/test/resources/gates/claims-" + language + ".jsonl"));
    assertThat(lines).hasSizeGreaterThanOrEqualTo(120);
    for (var line : lines) {
      JsonNode example = new JsonMapper().readTree(line);
      var text = example.path("text").asText();
      if (blocks(CLAIMS, text) != example.path("label").asText().equals("claim")) {
        wrong.add(line);
      }
    }
    assertThat(wrong).isEmpty();
  }

  /**
   * Examples that were held back while the patterns were written. When they were first run,
   * precision and recall were 1.00 (48 of 48) and 0.96 (48 of 50) in English, and 0.96 (45 of 47)
   * and 0.92 (45 of 49) in Spanish; some patterns changed after that.
   */
  @ParameterizedTest
  @ValueSource(strings = {"en", "es"})
  void claimsThatWereHeldBackAreToldFromOrdinarySentencesToo(String language) throws IOException {
    var blocked = 0;
    var right = 0;
    var claims = 0;
    for (var line :
        Files.readAllLines(
            Path.of("src/test/resources/gates/claims-held-back-" + language + ".jsonl"))) {
      JsonNode example = new JsonMapper().readTree(line);
      var isClaim = example.path("label").asText().equals("claim");
      var isBlocked = blocks(CLAIMS, example.path("text").asText());
      claims += isClaim ? 1 : 0;
      blocked += isBlocked ? 1 : 0;
      right += isClaim && isBlocked ? 1 : 0;
    }
    assertThat(claims).isGreaterThan(20);
    assertThat((double) right / blocked).as("precision").isGreaterThanOrEqualTo(0.9);
    assertThat((double) right / claims).as("recall").isGreaterThanOrEqualTo(0.9);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "I won't ask again.",
        "I'll stop asking about intensity.",
        "Ya no te pregunto lo de la intensidad.",
        "Dejo de preguntarte eso."
      })
  void thePromiseToAskNoMoreIsKeptByTheFieldForItOnly(String promise) {
    assertThat(blocks(CLAIMS, promise, succeeded("save_user_profile ask_intensity"))).isFalse();
    assertThat(blocks(CLAIMS, promise, succeeded("save_user_profile intensity"))).isTrue();
    assertThat(blocks(CLAIMS, promise, succeeded("scheduler delete"))).isFalse();
    assertThat(blocks(CLAIMS, promise)).isTrue();
  }

  private static Done succeeded(String call) {
    return new Done(
        Set.of(call.substring(0, call.indexOf(' ')), call), false, List.of(), List.of());
  }

  @Test
  void anotherTimeOnSomeDaysIsNeverBacked() {
    var half = LocalTime.of(22, 30);
    var scheduled =
        new Done(
            Set.of("scheduler", "scheduler create"),
            false,
            List.of(new Done.Scheduled(half, half, half)),
            List.of());
    for (var promise :
        List.of(
            "Weekends you get it at 11, weekdays at 10:30.",
            "I'll send it later on Saturdays.",
            "Entre semana te llega a las 22:30, y los sábados a las once.",
            "Los fines de semana te la mando a las 23:30.")) {
      assertThat(CLAIMS.check(new Candidate(promise, shown(List.of()), scheduled)))
          .as(promise)
          .isInstanceOfSatisfying(
              Verdict.Blocked.class, blocked -> assertThat(blocked.note()).contains("no tool can"));
    }
    for (var honest :
        List.of(
            "It comes at 10:30 every day, on weekends too.",
            "Te llega a las 22:30 todos los días, también los sábados.")) {
      assertThat(blocks(CLAIMS, honest, scheduled)).as(honest).isFalse();
    }
  }

  @Test
  void anHourInWordsIsATimeToo() {
    var half = LocalTime.of(22, 30);
    var scheduled = done(new Done.Scheduled(half, half, half));
    assertThat(blocks(CLAIMS, "I'll text you at half past ten.", scheduled)).isFalse();
    assertThat(blocks(CLAIMS, "I'll text you at eight.", scheduled)).isTrue();
    assertThat(blocks(CLAIMS, "Te llegará a las diez y media.", scheduled)).isFalse();
    assertThat(blocks(CLAIMS, "Te llegará a las ocho.", scheduled)).isTrue();
    var window =
        done(new Done.Scheduled(LocalTime.of(20, 0), LocalTime.of(21, 0), LocalTime.of(20, 37)));
    assertThat(blocks(CLAIMS, "I'll text you around nine.", window)).isFalse();
    assertThat(blocks(CLAIMS, "I'll text you around six.", window)).isTrue();
  }

  @Test
  void nothingBacksTheClaimToBeAPersonAndTheNoteSaysSo() {
    var outside = new Done(Set.of("save_user_profile"), true, List.of(), List.of());
    assertThat(CLAIMS.check(new Candidate("I'm a real person.", shown(List.of()), outside)))
        .isInstanceOfSatisfying(
            Verdict.Blocked.class,
            blocked ->
                assertThat(blocked.note()).contains("that you are a person, which is not true"));
  }

  @Test
  void aSpelledOutAddressThatWasGivenPasses() {
    var given =
        new Shown(List.of("Our page: happysteps.com"), List.of(), List.of(), List.of(), "US", "en");
    assertThat(CONTACTS.check(new Candidate("Go to happysteps dot com", given, Done.NOTHING)))
        .isEqualTo(new Verdict.Pass());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "dot ",
        " dot",
        "a dot ",
        "a . ",
        " ",
        ". ",
        "1.",
        "10.0.0.",
        "line is ",
        "line 1 ",
        "línea de ",
        "punto ",
        "soy ",
        "no, soy ",
        "im a real ",
        "take two ",
        "reminder set ",
        "[ dot ] ",
        "a(dot"
      })
  void aLongTextIsCheckedInTime(String part) {
    var text = part.repeat(5_000 / part.length());
    var long1 = new Shown(List.of(text), List.of(), List.of(), List.of(), "US", Shown.ENGLISH);
    assertTimeoutPreemptively(
        Patience.LONG, () -> ALL.check(new Candidate(text, long1, Done.NOTHING)));
  }

  @Test
  void aSuccessfulCallBacksItsClaimOnly() {
    var saved = new Done(Set.of("save_user_profile"), false, List.of(), List.of());
    assertThat(blocks(CLAIMS, "I've saved your time.", saved)).isFalse();
    assertThat(blocks(CLAIMS, "I've set your reminder for 8.", saved)).isTrue();
    var deleted = new Done(Set.of("scheduler", "scheduler delete"), false, List.of(), List.of());
    assertThat(blocks(CLAIMS, "I've cancelled your daily prompts.", deleted)).isFalse();
    assertThat(blocks(CLAIMS, "I've set your reminder for 8.", deleted)).isTrue();
    for (var ended :
        List.of("Ya no recibirás más propuestas diarias.", "No te llegarán más mensajes.")) {
      assertThat(blocks(CLAIMS, ended, deleted)).as(ended).isFalse();
      assertThat(blocks(CLAIMS, ended, Done.NOTHING)).as(ended).isTrue();
    }
    assertThat(blocks(CLAIMS, "Te escribiré mañana.", deleted)).isTrue();
    var outside = new Done(Set.of(), true, List.of(), List.of());
    assertThat(blocks(CLAIMS, "I've booked you a class on Monday.", outside)).isFalse();
  }

  @Test
  void anActiveScheduleBacksItsTimeOnly() {
    var eight = LocalTime.of(20, 0);
    var fixed = done(new Done.Scheduled(eight, eight, eight));
    assertThat(blocks(CLAIMS, "I'll text you at 8.", fixed)).isFalse();
    assertThat(blocks(CLAIMS, "I'll text you at 8 pm tomorrow.", fixed)).isFalse();
    assertThat(blocks(CLAIMS, "I'll text you tomorrow.", fixed)).isFalse();
    assertThat(blocks(CLAIMS, "I've set your reminder for 9:30.", fixed)).isTrue();
    assertThat(blocks(CLAIMS, "Te escribiré a las 8.", fixed)).isFalse();
    assertThat(blocks(CLAIMS, "Te escribiré a las 9.", fixed)).isTrue();
    var window =
        done(new Done.Scheduled(LocalTime.of(8, 0), LocalTime.of(9, 0), LocalTime.of(8, 37)));
    assertThat(blocks(CLAIMS, "Your prompt will come at 8:37.", window)).isFalse();
    assertThat(blocks(CLAIMS, "I'll text you between 8:00 and 9:00.", window)).isFalse();
    assertThat(blocks(CLAIMS, "I'll text you at 10:15.", window)).isTrue();
  }

  private static Done done(Done.Scheduled scheduled) {
    return new Done(Set.of(), false, List.of(scheduled), List.of());
  }

  @Test
  void aReplyInAnotherLanguageIsBlockedUnlessTheyWriteItOrAskForIt() {
    var spanish =
        "Hola, ¿cómo estás hoy? Puedes dar cincuenta pasos por la cocina mientras haces el café.";
    var german =
        "Das ist eine gute Idee, und wenn du magst, kannst du es gleich nach dem Kaffee probieren.";
    assertThat(blocks(LANGUAGE, spanish, Done.NOTHING, "hello there", "after my coffee")).isTrue();
    assertThat(blocks(LANGUAGE, german)).isTrue();
    var set = new Done(Set.of("set_language"), false, List.of(), List.of(), "es");
    assertThat(blocks(LANGUAGE, spanish, set, "hello there", "after my coffee")).isFalse();
    assertThat(blocks(LANGUAGE, spanish, Done.NOTHING, "hola, sí, después de comer me va bien"))
        .isFalse();
    assertThat(blocks(LANGUAGE, spanish, Done.NOTHING, "can we do this in Spanish?")).isFalse();
    assertThat(
            blocks(
                LANGUAGE,
                "After you pour your coffee, try fifty slow steps around the kitchen.",
                Done.NOTHING,
                "hola, sí, después de comer me va bien"))
        .isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "¡Hola! ¿Cómo estás?",
        "Porridge, berries, lentil soup, tofu curry, brown rice, walnuts, two apples.",
        "Squats: 3x10. Lunges: 3x8. Plank: 30 s. Push-ups: 3x6. Stretch: 2 min.",
        "Not today? No problem. Maria and Juan de la Cruz will understand, I am sure.",
        "👍👍👍",
        "The rehearsal script answers: no AI model, no key, no network.",
        "Ok, la clase de yoga at El Centro sounds good, so when does it start and who is coming?"
      })
  void shortTextsAndListsAreNoOtherLanguage(String text) {
    assertThat(blocks(LANGUAGE, text)).as(text).isFalse();
  }

  @Test
  void theVersionChangesWithTheGatesInUseAndTheFiles(@TempDir Path home) throws IOException {
    var all = ReplyGates.of(home, GatePlan.all());
    assertThat(all.version()).isEqualTo(ReplyGates.of(NOWHERE, GatePlan.all()).version());
    assertThat(CONTACTS.version()).isNotEqualTo(all.version());
    var off = ReplyGates.of(home, new GatePlan(EnumSet.noneOf(ReplyGate.class)));
    assertThat(off.areOn()).isFalse();
    assertThat(off.check(new Candidate("Call 911.", shown(List.of()), Done.NOTHING)))
        .isEqualTo(new Verdict.Pass());
    write(
        home,
        "en/own.yaml",
        "claims:\n  own:\n    means: a star was given\n    phrases: [gave you a star]\n");
    var own = ReplyGates.of(home, GatePlan.all());
    assertThat(own.version()).isNotEqualTo(all.version());
    assertThat(blocks(own, "I gave you a star.")).isTrue();
  }

  @Test
  void everyMistakeOfAFileIsNamed(@TempDir Path home) throws IOException {
    write(
        home,
        "en/own.yaml",
        """
        claims:
          own:
            phrases: [gave (you]
            schedule: maybe
        numbers: {dials: [call]}
        hours: [one, two]
        """);
    assertThatThrownBy(() -> ReplyGates.of(home, GatePlan.all()))
        .isInstanceOf(BrokenRules.class)
        .hasMessageContaining(
            "config/gates/en/own.yaml: claims.own.means: missing; expected a text")
        .hasMessageContaining("claims.own.phrases[0]: expected ')' after '('")
        .hasMessageContaining("claims.own.schedule: expected true or false, found 'maybe' (line 4)")
        .hasMessageContaining(
            "numbers.dials: unknown key; expected one of dial, emergency, filler, line, units")
        .hasMessageContaining("hours: expected the words from one to twelve, found 2");
  }

  private static void write(Path home, String file, String yaml) throws IOException {
    var path = home.resolve("config/gates").resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, yaml);
  }

  @Test
  void aLongTextOfDigitsAndHyphensIsCheckedWithoutARecursionForEachAndZerosMakeNothingKnown() {
    for (var text : List.of("1 ".repeat(8_000), "ha-".repeat(5_000), "1,".repeat(8_000))) {
      var long1 = new Shown(List.of(text), List.of(), List.of(), List.of(), "US", Shown.ENGLISH);
      assertThat(CONTACTS.check(new Candidate(text + " call 206 555 0123", long1, Done.NOTHING)))
          .isInstanceOf(Verdict.Blocked.class);
    }
    var zeros =
        new Shown(List.of("Your code is 0000000."), List.of(), List.of(), List.of(), "US", "en");
    assertThat(CONTACTS.check(new Candidate("Call 206 555 0123.", zeros, Done.NOTHING)))
        .isInstanceOf(Verdict.Blocked.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Call 1.800.555.0142 now.",
        "You can call 800.555.0142 at any hour, they listen.",
        "Call 1_800_555_0142.",
        "Call 1-800-SUICIDE now.",
        "Please call 13-11-14.",
        "See t.me/habit for more."
      })
  void aContactInAnotherSpellingIsBlockedToo(String text) {
    assertThat(CONTACTS.check(new Candidate(text, shown(List.of()), Done.NOTHING)))
        .isInstanceOf(Verdict.Blocked.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "You did 850 STEPS today!",
        "You could text 10-15 friends about it.",
        "Reply with 20-30 words, if you like."
      })
  void aNumberOfThingsIsNoContact(String text) {
    assertThat(CONTACTS.check(new Candidate(text, shown(List.of()), Done.NOTHING)))
        .isInstanceOf(Verdict.Pass.class);
  }

  @Test
  void theSameLastSevenDigitsAreNotTheSameNumber() {
    assertThat(
            CONTACTS.check(
                new Candidate("Call 1-800-555-0199 now.", shown(List.of()), Done.NOTHING)))
        .isInstanceOf(Verdict.Blocked.class);
    assertThat(
            CONTACTS.check(
                new Candidate("Call +44 171 555 0199 now.", shown(List.of()), Done.NOTHING)))
        .isInstanceOf(Verdict.Pass.class);
  }
}
