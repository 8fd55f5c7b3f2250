// Where documents, and what the program tells its users, send readers.
#include <doctest/doctest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path top = TUNER_SOURCE_DIR;

std::string contents(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<fs::path> files_in(const fs::path& folder, const std::set<std::string>& kinds) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && kinds.contains(entry.path().extension())) found.push_back(entry.path());
  return found;
}

std::vector<fs::path> documents() {
  std::vector<fs::path> found = files_in(top / "docs", {".md"});
  for (const char* name : {"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"})
    found.push_back(top / name);
  return found;
}

/// The lines of `text` that are in no block of code.
std::vector<std::string> prose(const std::string& text) {
  std::vector<std::string> lines;
  bool in_code = false;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```"))
      in_code = !in_code;
    else if (!in_code)
      lines.push_back(line);
  }
  return lines;
}

/// As GitHub makes it of a heading's text.
std::string anchor(const std::string& heading) {
  std::string text;
  for (const char c : heading) {
    const auto letter = static_cast<unsigned char>(c);
    if (c == ' ') text += '-';
    if (std::isalnum(letter) != 0 || c == '-' || c == '_' || letter >= 128)
      text += static_cast<char>(letter < 128 ? std::tolower(letter) : letter);
  }
  return text;
}

std::set<std::string> anchors(const fs::path& document) {
  std::set<std::string> found;
  for (const std::string& line : prose(contents(document))) {
    const std::size_t text = line.find_first_not_of('#');
    if (text != 0 && text != std::string::npos && line[text] == ' ')
      found.insert(anchor(line.substr(text + 1)));
  }
  return found;
}

}  // namespace

TEST_SUITE("documents") {
  TEST_CASE("every link leads to a file that is there, and to a heading that it has") {
    int links = 0;
    const std::regex link(R"(\]\(([^)#\s]*)(#[^)\s]*)?\))");
    for (const fs::path& document : documents()) {
      for (const std::string& line : prose(contents(document))) {
        for (std::sregex_iterator at(line.begin(), line.end(), link), end; at != end; ++at) {
          const std::string to = (*at)[1];
          const std::string where = (*at)[2];
          if (to.find("://") != std::string::npos) continue;
          CAPTURE(document.string());
          CAPTURE(at->str());
          const fs::path target = to.empty() ? document : document.parent_path() / to;
          CHECK(fs::exists(target));
          if (!where.empty()) CHECK(anchors(target).contains(where.substr(1)));
          ++links;
        }
      }
    }
    CHECK(links > 100);
  }

  TEST_CASE("documents that the sources name are there") {
    int names = 0;
    const std::regex name(R"(docs/[a-z_-]+\.md)");
    for (const char* folder : {"tuner", "config", "db", "reports", "kernels", "examples"}) {
      for (const fs::path& file : files_in(top / folder, {".cpp", ".hpp", ".h", ".cu", ".toml", ".sql"})) {
        const std::string text = contents(file);
        for (std::sregex_iterator at(text.begin(), text.end(), name), end; at != end; ++at, ++names)
          CHECK_MESSAGE(fs::exists(top / at->str()), file.string(), " names ", at->str());
      }
    }
    CHECK(names > 3);
  }
}
