package org.habitline.budgets;

import jakarta.inject.Singleton;
import java.util.List;
import java.util.Optional;
import org.habitline.participants.PhoneNumber;
import org.habitline.participants.PhoneNumbers;
import org.habitline.protocol.StudyFile;

/** The countries whose numbers a study may text. Safe for any number of threads. */
@Singleton
public final class AllowedCountries {

  private final List<String> countries;
  private final PhoneNumbers numbers;

  AllowedCountries(StudyFile study, PhoneNumbers numbers) {
    this.countries = study.budgets().countries();
    this.numbers = numbers;
  }

  /** Returns why a number may not be texted, in a sentence, or empty if it may. */
  public Optional<String> whyNot(PhoneNumber number) {
    if (countries.isEmpty()) {
      return Optional.empty();
    }
    var country = numbers.country(number);
    return country.filter(countries::contains).isPresent()
        ? Optional.empty()
        : Optional.of(
            (country.isPresent()
                    ? "numbers of " + country.get() + " may not be texted"
                    : "the country of this number is unknown, so it may not be texted")
                + "; budgets.countries in "
                + StudyFile.NAME
                + " allows "
                + String.join(", ", countries)
                + ".");
  }
}
