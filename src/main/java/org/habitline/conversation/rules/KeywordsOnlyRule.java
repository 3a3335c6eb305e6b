package org.habitline.conversation.rules;

import jakarta.inject.Singleton;
import java.util.List;

/** Ends a turn for nothing but keywords, which are no words to the coach. */
@Singleton
final class KeywordsOnlyRule implements BeforeTheCoach {

  @Override
  public Place place() {
    return Place.KEYWORDS_ONLY;
  }

  @Override
  public Ruling look(Heard heard) {
    return heard.isForTheCoach()
        ? Ruling.PASS
        : Ruling.notForTheCoach(List.of(), "nothing was said to the coach");
  }
}
