package org.habitline.messaging.twilio;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.habitline.Seeds;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The official vectors, and random forms against an independent signer. */
final class SignatureTest {

  private static final String TOKEN = "a token";
  private static final String URL = "https://line.example/webhooks/twilio/messages?study=a%20b";
  private static final Signature CHECK = new Signature(List.of(TOKEN));

  static Stream<Arguments> vectors() throws IOException {
    try (var file =
        Objects.requireNonNull(
            SignatureTest.class.getResourceAsStream("/twilio-signature-vectors.json"))) {
      return StreamSupport.stream(new JsonMapper().readTree(file).spliterator(), false)
          .map(vector -> Arguments.of(Named.of(vector.path("name").asText(), vector)));
    }
  }

  @ParameterizedTest
  @MethodSource("vectors")
  void everyOfficialVectorIsJudgedAsItShould(JsonNode vector) {
    var check = new Signature(List.of(vector.path("token").asText()));
    var url = vector.path("url").asText();
    var signature = vector.path("signature").asText();
    var judged =
        vector.has("body")
            ? check.signs(
                url, vector.path("body").asText().getBytes(StandardCharsets.UTF_8), signature)
            : check.signs(url, form(vector.path("params")), signature);
    assertThat(judged).isEqualTo(vector.path("valid").asBoolean());
  }

  private static Map<String, List<String>> form(JsonNode params) {
    var form = new LinkedHashMap<String, List<String>>();
    for (var param : params.properties()) {
      var values = new ArrayList<String>();
      if (param.getValue().isArray()) {
        param.getValue().forEach(value -> values.add(value.asText()));
      } else {
        values.add(param.getValue().asText());
      }
      form.put(param.getKey(), values);
    }
    return form;
  }

  @Test
  void whatTwilioSignsIsSignedHoweverItIsEncoded() {
    Seeds.each(
        300,
        seed -> {
          var random = new Random(seed);
          var fields = FormFields.of();
          for (int n = random.nextInt(12); n > 0; n--) {
            fields = fields.and(word(random), random.nextInt(5) == 0 ? "" : word(random));
          }
          var signature = TwilioSigner.sign(TOKEN, URL, fields);
          var read = Form.read(fields.encoded()).values();
          assertThat(CHECK.signs(URL, read, signature)).isTrue();
          assertThat(CHECK.signs(URL + "x", read, signature)).isFalse();
          assertThat(new Signature(List.of("another")).signs(URL, read, signature)).isFalse();
          var changed = new LinkedHashMap<>(read);
          changed.put("Body", List.of("forged " + seed));
          assertThat(CHECK.signs(URL, changed, signature)).isFalse();
        });
  }

  private static String word(Random random) {
    var alphabet =
        List.of(
            "a", "B", "z", "0", " ", "  ", "+", "&", "=", "%", "ä", "\n", "😀", "Body", "\u00a0");
    var word = new StringBuilder();
    for (int n = random.nextInt(1, 8); n > 0; n--) {
      word.append(alphabet.get(random.nextInt(alphabet.size())));
    }
    return word.toString();
  }

  @Test
  void manyAreCheckedAtOnce() throws Exception {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var checks =
          IntStream.range(0, 2000)
              .<Callable<Boolean>>mapToObj(n ->
                  () -> {
                    var signature =
                        TwilioSigner.sign(TOKEN, URL, FormFields.of("Body", "text " + n));
                    return CHECK.signs(URL, Map.of("Body", List.of("text " + n)), signature);
                  })
              .toList();
      for (var check : threads.invokeAll(checks)) {
        assertThat(check.get()).isTrue();
      }
    }
  }

  @Test
  void whileATokenIsRotatedEitherIsGood() {
    var both = new Signature(List.of("new", "old"));
    for (var token : List.of("new", "old")) {
      var signature = TwilioSigner.sign(token, URL, FormFields.of("Body", "hi"));
      assertThat(both.signs(URL, Map.of("Body", List.of("hi")), signature)).isTrue();
    }
  }
}
