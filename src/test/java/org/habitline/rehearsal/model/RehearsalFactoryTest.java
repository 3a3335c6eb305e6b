package org.habitline.rehearsal.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.micronaut.context.ApplicationContext;
import java.util.HashMap;
import java.util.Map;
import org.habitline.llm.LanguageModel;
import org.junit.jupiter.api.Test;

class RehearsalFactoryTest {

  @Test
  void itAnswersWhereNoServerIsConfigured() {
    assertThat(answers(Map.of("openai.api-key", " "))).isTrue();
  }

  @Test
  void itStandsBackForAConfiguredServer() {
    assertThat(answers(Map.of("openai.api-key", "a-key"))).isFalse();
    assertThat(answers(Map.of("openai.base-url", "http://127.0.0.1:1"))).isFalse();
  }

  private static boolean answers(Map<String, Object> settings) {
    var all = new HashMap<>(settings);
    all.put(
        "datasources.default.url", "jdbc:h2:mem:rehearsal;MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE");
    try (var context = ApplicationContext.run(all)) {
      return context.findBean(LanguageModel.class).filter(LanguageModel::rehearsal).isPresent();
    }
  }
}
