package org.habitline.conversation.rules;

import jakarta.inject.Singleton;
import java.util.List;

/** Ends a turn whose texts are all keywords, because keywords are not for the coach. */
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
        : Ruling.notForTheCoach(List.of(), "no text was for the coach");
  }
}
