package org.habitline.conversation.rules;

import io.micronaut.context.annotation.Factory;
import jakarta.inject.Singleton;
import org.habitline.flows.TakenWords;
import org.habitline.messaging.inbox.ConsentKeywords;

/** Provides the words that flows cannot use as replies. */
@Factory
final class TakenWordsFactory {

  @Singleton
  TakenWords takenWords(ConsentKeywords keywords) {
    return keywords::isAny;
  }
}
