#pragma once

#include <string_view>

/// Tests of functions whose reference is not independent.
namespace lanewise::oracles {

/// Entries whose reference is the evaluator's own function (reference_each): comparing the two shows nothing
/// about the function itself. Tests with another oracle do.
struct Oracle {
  std::string_view name;
  int entries;             ///< of this name
  std::string_view tests;  ///< "Suite.Test Suite.Test"
};
inline constexpr std::string_view kNumbers =
    "Arithmetic.OfIntegersIsThatOfTheirBits Arithmetic.OfFloatsIsThatOfLongerOnes";
inline constexpr std::string_view kNumbersAndDates =
    "Arithmetic.OfIntegersIsThatOfTheirBits Arithmetic.OfDecimalsIsThatOfTheirDigits "
    "Arithmetic.OfFloatsIsThatOfLongerOnes Dates.SumsAreTheOracles Dates.IntervalsAreAsInSql "
    "Moments.SumsAreThoseOfTheirParts";
inline constexpr std::string_view kOfOne = "Analysis.OfOneNumberIsThatOfLongerFloats";
inline constexpr std::string_view kOfTwo = "Analysis.OfTwoNumbersIsThatOfLongerFloats";
inline constexpr std::string_view kFloatBits = "Analysis.OfFloatsIsThatOfTheirBits";
inline constexpr std::string_view kFloatAndDateLimits =
    "Analysis.OfFloatsIsThatOfTheirBits Moments.InfiniteOnesAreTheLimits";
inline constexpr std::string_view kSigns =
    "Analysis.SizesAndSignsOfIntegersAndDecimals Rounding.OfFloatsIsThatOfTheStandardLibrary";
inline constexpr std::string_view kDigits =
    "Rounding.OfDecimalsIsThatOfTheirDigits Rounding.OfIntegersIsThatOfTheirDigits "
    "Rounding.OfFloatsIsThatOfTheStandardLibrary";
inline constexpr std::string_view kDivisors = "Divisors.AreThoseOfTheStandardLibrary";
inline constexpr std::string_view kParts = "Dates.PartsAreTheOracles Moments.NamedPartsAreThoseOfDatePart";
inline constexpr std::string_view kNamedParts = "Moments.NamedPartsAreThoseOfDatePart Moments.KnownValues";
inline constexpr std::string_view kEpochs = "Moments.EpochsCountFrom1970 Moments.KnownValues";
inline constexpr std::string_view kUnits = "Moments.UnitsMakeIntervals";
inline constexpr std::string_view kDifferences = "Dates.DifferencesAreTheOracles Moments.KnownValues";
inline constexpr Oracle kTable[] = {
    {"%", 1, kNumbers},
    {"&", 1, kNumbers},
    {"*", 4, kNumbersAndDates},
    {"+", 13, kNumbersAndDates},
    {"-", 11, kNumbersAndDates},
    {"/", 2, kNumbersAndDates},
    {"//", 1, kNumbers},
    {"<<", 1, kNumbers},
    {">>", 1, kNumbers},
    {"abs", 1, kSigns},
    {"acos", 1, kOfOne},
    {"acosh", 1, kOfOne},
    {"age", 2, "Dates.IntervalsAreAsInSql Moments.KnownValues"},
    {"asin", 1, kOfOne},
    {"asinh", 1, kOfOne},
    {"atan", 1, kOfOne},
    {"atan2", 1, kOfTwo},
    {"atanh", 1, kOfOne},
    {"bit_count", 5, kDivisors},
    {"cbrt", 1, kOfOne},
    {"ceil", 1, kDigits},
    {"century", 1, kNamedParts},
    {"cos", 1, kOfOne},
    {"cosh", 1, kOfOne},
    {"cot", 1, kOfOne},
    {"date_diff", 4, kDifferences},
    {"date_part", 1, kParts},
    {"date_sub", 4, kDifferences},
    {"date_trunc", 4, "Dates.TruncationIsTheOracles Moments.KnownValues"},
    {"day", 1, kNamedParts},
    {"dayname", 1, kNamedParts},
    {"dayofweek", 1, kNamedParts},
    {"dayofyear", 1, kNamedParts},
    {"decade", 1, kNamedParts},
    {"degrees", 1, kOfOne},
    {"epoch", 1, kEpochs},
    {"epoch_ms", 2, kEpochs},
    {"epoch_ns", 1, kEpochs},
    {"epoch_us", 1, kEpochs},
    {"era", 1, kNamedParts},
    {"even", 1, "Rounding.OfFloatsIsThatOfTheStandardLibrary"},
    {"exp", 1, kOfOne},
    {"factorial", 1, kDivisors},
    {"floor", 1, kDigits},
    {"gamma", 1, kOfOne},
    {"gcd", 2, kDivisors},
    {"hour", 1, kParts},
    {"isfinite", 3, kFloatAndDateLimits},
    {"isinf", 3, kFloatAndDateLimits},
    {"isnan", 2, kFloatBits},
    {"isodow", 1, kNamedParts},
    {"isoyear", 1, kNamedParts},
    {"julian", 1, kEpochs},
    {"last_day", 1, "Dates.SumsAreTheOracles"},
    {"lcm", 2, kDivisors},
    {"lgamma", 1, kOfOne},
    {"ln", 1, kOfOne},
    {"log", 2, "Analysis.OfOneNumberIsThatOfLongerFloats Analysis.OfTwoNumbersIsThatOfLongerFloats"},
    {"log10", 1, kOfOne},
    {"log2", 1, kOfOne},
    {"make_date", 2, "Dates.SumsAreTheOracles Moments.EpochsCountFrom1970"},
    {"make_time", 1, kNamedParts},
    {"make_timestamp", 2, "Moments.NamedPartsAreThoseOfDatePart Moments.EpochsCountFrom1970"},
    {"microsecond", 1, kParts},
    {"millennium", 1, kNamedParts},
    {"millisecond", 1, kNamedParts},
    {"minute", 1, kParts},
    {"month", 1, kNamedParts},
    {"monthname", 1, kNamedParts},
    {"nanosecond", 1, kNamedParts},
    {"nextafter", 2, kFloatBits},
    {"pi", 1, kOfOne},
    {"pow", 1, kOfTwo},
    {"quarter", 1, kNamedParts},
    {"radians", 1, kOfOne},
    {"round", 2, kDigits},
    {"second", 1, kParts},
    {"sign", 1, kSigns},
    {"signbit", 2, kFloatBits},
    {"sin", 1, kOfOne},
    {"sinh", 1, kOfOne},
    {"sqrt", 1, kOfOne},
    {"strftime", 2, "Dates.StrftimeIsAsInTheCLibrary Dates.StrftimeIsAsInSql"},
    {"tan", 1, kOfOne},
    {"tanh", 1, kOfOne},
    {"timezone", 1, kNamedParts},
    {"timezone_hour", 1, kNamedParts},
    {"timezone_minute", 1, kNamedParts},
    {"to_centuries", 2, kUnits},
    {"to_days", 2, kUnits},
    {"to_decades", 2, kUnits},
    {"to_hours", 1, kUnits},
    {"to_microseconds", 1, kUnits},
    {"to_millennia", 2, kUnits},
    {"to_milliseconds", 1, kUnits},
    {"to_minutes", 1, kUnits},
    {"to_months", 2, kUnits},
    {"to_quarters", 2, kUnits},
    {"to_seconds", 1, kUnits},
    {"to_weeks", 2, kUnits},
    {"to_years", 2, kUnits},
    {"trunc", 2, kDigits},
    {"week", 1, kNamedParts},
    {"xor", 1, kNumbers},
    {"year", 1, kNamedParts},
    {"yearweek", 1, kNamedParts},
    {"|", 1, kNumbers},
    {"~", 1, kNumbers}};

}  // namespace lanewise::oracles
