#pragma once
#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace tuner::cli {

/// What is wrong with a command line, and the next step.
struct ParseMistake {
  std::string message;
  std::string hint;
};

/// Of the `error` that `app` ended parsing with. A word that nobody knows comes before anything that is
/// missing, which it may have been meant to be, and with what it was probably meant to be.
ParseMistake parse_mistake(const CLI::App& app, const CLI::ParseError& error);

}  // namespace tuner::cli
