package org.habitline.safety.gates;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import com.google.i18n.phonenumbers.PhoneNumberUtil;
import com.google.i18n.phonenumbers.PhoneNumberUtil.ValidationResult;
import com.google.i18n.phonenumbers.Phonenumber.PhoneNumber;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.habitline.Patterns;
import org.habitline.protocol.ReplyGate;

/**
 * Blocks phone numbers, links and e-mail addresses that stand in nothing that the model was shown.
 * An invented helpline is the worst that a model can say. Numbers are compared by their digits;
 * times, dates, amounts and ranges are no phone numbers.
 */
final class ContactsGate implements Gate {

  private static final PhoneNumberUtil PHONES = PhoneNumberUtil.getInstance();

  /** A number that is as long as this may be written with or without its prefix. */
  private static final int FULL = 7;

  /** A number that is as long as this is whole without the prefix of its country. */
  private static final int NATIONAL = 8;

  private static final int MOST_GROUPS = 8;

  private static final int MOST_COUNTRIES = 300;

  /** Countries whose numbers are looked for in every text, if they are written in full. */
  private static final Set<String> EVERYWHERE = Set.of("US", "GB");

  /**
   * The fewest digits of a phone number that is written as within a country, at most {@link #FULL},
   * because a text may dial abroad and foreign numbers can be shorter.
   */
  private static final LoadingCache<String, Integer> SHORTEST =
      Caffeine.newBuilder().maximumSize(MOST_COUNTRIES).build(ContactsGate::shortest);

  private static final Pattern EMAIL =
      Pattern.compile("[\\p{L}\\d._%+-]{1,64}@[\\p{L}\\d-]{1,63}(?:\\.[\\p{L}\\d-]{1,63}){1,9}");

  private static final String LABELS = "[\\p{L}\\d](?:[\\p{L}\\d-]{0,61}[\\p{L}\\d])?";

  /** A number of an IP address. */
  private static final String OCTET = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";

  private static final Pattern LINK =
      Pattern.compile(
          "(?i)"
              + Patterns.WORD_BOUNDARY
              + "(?:[a-z][a-z0-9+.-]{0,20}://\\S+|www\\.\\S+|(?:"
              + LABELS
              + "\\.){1,9}(?<domain>[a-z]{2,12})\\b(?:/\\S*)?"
              + "|(?:"
              + OCTET
              + "\\.){3}"
              + OCTET
              + "(?![\\d-]|\\.\\d)(?::\\d{1,5})?(?:/\\S*)?)");

  /** What may follow an address and does not belong to it. */
  private static final Pattern AFTER_ADDRESS =
      Pattern.compile("(?<![/.,;:!?)\\]}>\"'”’…])[/.,;:!?)\\]}>\"'”’…]++$");

  /** What every e-mail address and link contains. Most messages contain none of it. */
  private static final Pattern IN_EVERY_ADDRESS = Pattern.compile("@|://|\\.\\S");

  /** Endings of names on the internet that are no ending of an English or Spanish sentence. */
  private static final Set<String> DOMAINS =
      Set.of(
          "com",
          "org",
          "net",
          "gov",
          "edu",
          "mil",
          "int",
          "info",
          "biz",
          "app",
          "dev",
          "health",
          "help",
          "care",
          "online",
          "site",
          "website",
          "page",
          "link",
          "clinic",
          "support",
          "chat",
          "club",
          "xyz",
          "ngo",
          "foundation",
          "io",
          "ai",
          "co",
          "uk",
          "ie",
          "eu",
          "de",
          "fr",
          "es",
          "it",
          "nl",
          "ca",
          "au",
          "nz",
          "us",
          "mx",
          "ar",
          "cl",
          "pe",
          "ve",
          "ec",
          "uy",
          "pt",
          "br",
          "ch",
          "at",
          "be",
          "se",
          "dk",
          "fi",
          "pl",
          "cz",
          "jp",
          "kr",
          "cn",
          "ru",
          "za",
          "ke",
          "ng",
          "gh",
          "ug",
          "tz",
          "ly",
          "gl",
          "me",
          "tv",
          "cc");

  /** Endings that are also words: only in lower case, right after a longer word, with a path. */
  private static final Set<String> ALSO_WORDS =
      Set.of(
          "it", "at", "be", "me", "us", "es", "se", "de", "ve", "help", "care", "page", "link",
          "support", "chat", "club", "int", "online", "health", "site", "app", "co", "ca", "pe",
          "info", "clinic", "website");

  /** What looks like a phone number and is none. */
  private static final List<Pattern> NO_NUMBERS =
      List.of(
          Pattern.compile(
              "(?<![\\d-])\\d{4}-\\d{2}-\\d{2}(?:[T ]\\d{2}:\\d{2}(?::\\d{2})?)?(?![\\d-])"),
          Pattern.compile(
              "(?<![\\d./-])(?:[0-3]?\\d)([./-])(?:[0-3]?\\d)\\1(?:19|20)?\\d{2}(?![\\d./-]\\d|\\d)"),
          Pattern.compile("(?<![\\d:])[0-2]?\\d[:h][0-5]\\d(?::[0-5]\\d)?(?!\\d)"),
          Pattern.compile(
              "[$€£]\\s?\\d[\\d.,]{0,20}|\\d[\\d.,]{0,20}\\s?(?:[$€£%]|usd|eur|euros?|dollars?|d[oó]lares|pesos)",
              Pattern.CASE_INSENSITIVE),
          Pattern.compile("(?<![\\d,.])\\d{1,3}(?:[,.]\\d{3})+(?![\\d-]|[.,]\\d)"),
          Pattern.compile("(?<![\\d.-])\\d+[.,]\\d{1,2}(?![\\d.,-])"));

  /** A range such as "2000-2500", followed by a word. */
  private static final Pattern RANGE =
      Pattern.compile(
          "(?<![\\d(+-])(?<!\\) )(?<!\\))(?<!\\d"
              + " )([1-9]\\d{0,4})\\s?[-–]\\s?(\\d{1,5})(?![\\d-])(?=\\s*(\\p{L}+))");

  /** What is written like a phone number, whatever its country. */
  private static final Pattern WRITTEN_LIKE =
      Pattern.compile(
          "(?<![\\p{L}\\d.,:/#_-])(?:\\+\\d[\\d ()./_-]{5,}\\d|\\(\\d{2,5}\\)[ -]?\\d[\\d"
              + " -]{4,}\\d|\\d{1,5}(?:[ ._-]\\d{2,5}){1,4}|0\\d{6,11}|\\d{9,12})(?![\\p{L}\\d:/])");

  /** A number whose last digits are written as letters, such as "1-800-FLOWERS". */
  private static final Pattern IN_LETTERS =
      Pattern.compile(
          "(?<![\\p{L}\\d])(?:1[ .-]8\\d\\d[ .-]|8(?:00|33|44|55|66|77|88)-)[A-Z]{4,}(?![a-z])");

  private static final Pattern LONG_GROUP = Pattern.compile("\\d{3}");

  private static final String SHORT =
      "(?<![\\p{L}\\d.,:/#$€£-])\\d(?:[ -]?\\d){2,5}(?![\\p{L}\\d:/-]|[.,]\\d)";

  private static final Pattern NUMBER = Pattern.compile("\\d++(?:[ ()./-]{0,2}+\\d++)*+");

  private static final Pattern GROUP = Pattern.compile("\\d+");

  /** A dot that is said, or stands alone, such as in "example dot com" and "example . com". */
  private final Pattern saidDot;

  private final Set<String> emergency;
  private final List<Pattern> shortCodes;
  private final Pattern anyShort;

  ContactsGate(List<GateLanguage> languages) {
    this.saidDot =
        Pattern.compile(
            "(?<=[\\p{L}\\d])(?:\\s{1,3}\\.\\s{0,3}|\\s{0,3}[(\\[]\\s?(?:dots)\\s?[)\\]]\\s{0,3}|\\s{1,3}(?:dots)\\s{1,3})(?=[\\p{L}\\d])"
                .replace(
                    "dots",
                    either(languages.stream().flatMap(language -> language.dots().stream()))),
            Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE);
    this.emergency =
        languages.stream()
            .flatMap(language -> language.numbers().emergency().stream())
            .collect(Collectors.toUnmodifiableSet());
    var amount = "(?!\\s*(?:" + either(languages, GateLanguage.Numbers::units) + ")\\b)";
    this.anyShort = Pattern.compile("(" + SHORT + ")" + amount);
    this.shortCodes =
        List.of(
            Pattern.compile(
                Patterns.WORD_BOUNDARY
                    + "(?:"
                    + either(languages, GateLanguage.Numbers::dial)
                    + ")(?:[\\s:\"“”']{1,3}(?:"
                    + either(languages, GateLanguage.Numbers::filler)
                    + ")){0,8}[\\s:\"“]{1,3}("
                    + SHORT
                    + ")"
                    + amount),
            Pattern.compile(
                "("
                    + SHORT
                    + ")\\s+(?:\\p{L}+\\s+){0,2}(?:"
                    + either(languages, GateLanguage.Numbers::line)
                    + ")\\b"));
  }

  /**
   * Returns the words of all languages as alternatives of a pattern, which match nothing if none.
   */
  private static String either(
      List<GateLanguage> languages, Function<GateLanguage.Numbers, List<String>> words) {
    return either(languages.stream().flatMap(language -> words.apply(language.numbers()).stream()));
  }

  private static String either(Stream<String> words) {
    var all = words.map(Pattern::quote).toList();
    return all.isEmpty() ? "(?!)" : String.join("|", all);
  }

  @Override
  public ReplyGate gate() {
    return ReplyGate.CONTACTS;
  }

  @Override
  public Optional<String> objection(Candidate candidate) {
    return invented(candidate)
        .map(
            "Your last answer was not sent, because nothing that you were shown contains %s. Write it again without it, and never make up a number, a link or an address."
                ::formatted);
  }

  /** Returns the first contact of a text that nobody gave the model, in words. */
  Optional<String> invented(Candidate candidate) {
    var sources =
        Stream.of(
                candidate.shown().sources(),
                candidate.shown().literal(),
                candidate.done().passages())
            .flatMap(Collection::stream)
            .toList();
    // Digits and letters of other widths look alike to a reader.
    var text = Normalizer.normalize(candidate.text(), Normalizer.Form.NFKC);
    return links(text, sources)
        .map(found -> "the address '" + found + "'")
        .or(() ->
            numbers(text, candidate.shown().region(), sources)
                .map(found -> "the phone number '" + found + "'"));
  }

  private Optional<String> links(String text, List<String> sources) {
    var said = links(text);
    if (said.isEmpty()) {
      // Most messages have no link; this skips the slow search of all that the model was shown.
      return Optional.empty();
    }
    var known =
        sources.stream().flatMap(source -> links(source).stream()).collect(Collectors.toSet());
    return said.stream()
        .filter(link ->
            known.stream().noneMatch(other -> other.equals(link) || other.startsWith(link + "/")))
        .findFirst();
  }

  /** Returns the e-mail addresses and links of a text as they are compared. */
  private Set<String> links(String said) {
    var text = saidDot.matcher(said).replaceAll(".");
    var found = new HashSet<String>();
    IN_LETTERS.matcher(text).results().forEach(it -> found.add(lower(it)));
    if (!IN_EVERY_ADDRESS.matcher(text).find()) {
      return found;
    }
    EMAIL.matcher(text).results().forEach(it -> found.add(lower(it)));
    var links = LINK.matcher(EMAIL.matcher(text).replaceAll(" "));
    while (links.find()) {
      var domain = links.group("domain");
      if (domain == null || isDomain(links.group(), domain)) {
        found.add(compared(links.group()));
      }
    }
    return found;
  }

  private static String lower(MatchResult found) {
    return found.group().toLowerCase(Locale.ROOT);
  }

  private static boolean isDomain(String link, String domain) {
    var ending = domain.toLowerCase(Locale.ROOT);
    var name = link.substring(0, link.toLowerCase(Locale.ROOT).indexOf("." + ending));
    var named =
        (name.length() > 1 || link.contains("/")) && name.chars().anyMatch(Character::isLetter);
    return DOMAINS.contains(ending)
        && named
        && (!ALSO_WORDS.contains(ending) || link.contains("/") || name.contains("."));
  }

  private static String compared(String link) {
    var address =
        link.toLowerCase(Locale.ROOT)
            .replaceFirst("^[a-z][a-z0-9+.-]*://", "")
            .replaceFirst("^www\\.", "");
    return AFTER_ADDRESS.matcher(address).replaceFirst("");
  }

  private Optional<String> numbers(String text, String region, List<String> sources) {
    if (text.codePoints().noneMatch(Character::isDigit)) {
      // Most messages have none; this skips several slow searches.
      return Optional.empty();
    }
    var without = EMAIL.matcher(LINK.matcher(text).replaceAll(" ")).replaceAll(" ");
    // "Call 13-11-14" is no date; "text 10-15 friends" is a range.
    var dialled =
        shortCodes
            .getFirst()
            .matcher(Words.plain(without))
            .results()
            .map(it -> it.group(1))
            .filter(number -> number.split("[ -]", 0).length > 2)
            .toList();
    for (var pattern : NO_NUMBERS) {
      without = pattern.matcher(without).replaceAll(" · ");
    }
    without =
        RANGE
            .matcher(without)
            .replaceAll(range ->
                Integer.parseInt(range.group(1)) < Integer.parseInt(range.group(2)) ? " · " : "$0");
    var found = numbers(without, region);
    found.addAll(dialled);
    // Newest source first: most numbers come from the last text, and older sources are long.
    for (int i = sources.size() - 1; i >= 0 && !found.isEmpty(); i--) {
      var known = digits(sources.get(i));
      found.removeIf(number -> isKnown(digitsOf(number), known));
    }
    return found.stream().findFirst();
  }

  private List<String> numbers(String text, String region) {
    var found = new ArrayList<String>();
    var digits = text.codePoints().filter(Character::isDigit).count();
    var countries = new TreeSet<>(EVERYWHERE);
    countries.add(region);
    for (var country : countries) {
      // Skips the slowest search if the text has too few digits for this country.
      if (text.contains("+") || digits >= SHORTEST.get(country)) {
        PHONES
            .findNumbers(text, country, PhoneNumberUtil.Leniency.VALID, Long.MAX_VALUE)
            .forEach(match -> found.add(match.rawString()));
      }
    }
    WRITTEN_LIKE
        .matcher(text)
        .results()
        .map(it -> it.group().strip())
        .filter(number -> digitsOf(number).length() >= FULL)
        .filter(number -> LONG_GROUP.matcher(number).find())
        .forEach(found::add);
    var plain = Words.plain(text);
    for (var pattern : shortCodes) {
      pattern.matcher(plain).results().forEach(it -> found.add(it.group(1)));
    }
    anyShort
        .matcher(plain)
        .results()
        .map(it -> it.group(1))
        .filter(number -> emergency.contains(digitsOf(number)))
        .forEach(found::add);
    return found;
  }

  private static int shortest(String country) {
    var code = PHONES.getCountryCodeForRegion(country);
    var digits = 1;
    for (long smallest = 1; digits < FULL; digits++, smallest *= 10) {
      var number = new PhoneNumber().setCountryCode(code).setNationalNumber(smallest);
      var reason = PHONES.isPossibleNumberWithReason(number);
      // Some countries have no area codes (San Marino): a local number is complete.
      if (reason == ValidationResult.IS_POSSIBLE
          || (reason == ValidationResult.IS_POSSIBLE_LOCAL_ONLY && !EVERYWHERE.contains(country))) {
        break;
      }
    }
    return digits;
  }

  private static boolean isKnown(String number, Set<String> known) {
    if (known.contains(number)) {
      return true;
    }
    var national = withoutPrefix(number);
    return national.length() >= FULL
        && known.stream()
            .map(ContactsGate::withoutPrefix)
            .anyMatch(other ->
                other.contains(national)
                    || (other.length() >= NATIONAL && national.endsWith(other)));
  }

  private static String withoutPrefix(String digits) {
    return digits.replaceFirst("^0+", "");
  }

  private static String digitsOf(String text) {
    return text.replaceAll("\\D", "");
  }

  /**
   * Returns the numbers of a source by their digits, each group alone and joined to its neighbours.
   */
  private static Set<String> digits(String source) {
    var all = new HashSet<String>();
    NUMBER
        .matcher(source)
        .results()
        .forEach(run -> {
          var groups = GROUP.matcher(run.group()).results().map(MatchResult::group).toList();
          for (int from = 0; from < groups.size(); from++) {
            var joined = new StringBuilder();
            for (int to = from; to < Math.min(groups.size(), from + MOST_GROUPS); to++) {
              joined.append(groups.get(to));
              all.add(joined.toString());
            }
          }
        });
    return all;
  }
}
