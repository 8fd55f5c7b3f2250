// Where text that is nearly right differs from what is.
#include <doctest/doctest.h>
#include <sys/resource.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/model/error.hpp"
#include "tuner/util/files.hpp"
#include "tuner/util/text.hpp"

using namespace tuner;

TEST_SUITE("util") {
  TEST_CASE("two letters that changed places are one mistake, and a third of a word's letters is the most") {
    constexpr std::array<std::string_view, 1> words = {"abcd"};
    CHECK(util::nearest("abdc", words) == "abcd");  // one letter of four may differ
    CHECK(util::nearest("abxy", words).empty());
    constexpr std::array<std::string_view, 1> longer = {"registers"};
    CHECK(util::nearest("regxxxers", longer) == "registers");
    CHECK(util::nearest("rexxxxers", longer).empty());
  }

  TEST_CASE("characters of the last planes are wide") {
    CHECK(util::display_width("\U00020000") == 2);
    CHECK(util::display_width("\U0003FFFD") == 2);
    CHECK(util::display_width("\U00040000") == 1);
  }

  TEST_CASE("surrogates, and a character that is cut off, are no UTF-8") {
    CHECK(util::valid_utf8("a\xED\xA0\x80z").find('\xED') == std::string::npos);
    CHECK(util::valid_utf8("a\xE6\xBC") == "a\uFFFD\uFFFD");
    CHECK(util::valid_utf8(std::string_view("a\xE6\xBC\xA2z").substr(0, 3)) == "a\uFFFD\uFFFD");
    CHECK(util::valid_utf8("a\xE6\xBC\xA2z") == "a\u6F22z");
    CHECK(util::valid_utf8("\xE6zz") == "\uFFFDzz");
    CHECK(util::valid_utf8("\xE6\xBCz") == "\uFFFD\uFFFDz");
    CHECK(util::valid_utf8("\xC3z") == "\uFFFDz");
  }

  TEST_CASE("a character in more bytes than it takes, or beyond the last plane, is no UTF-8") {
    const std::string three = "\uFFFD\uFFFD\uFFFD";
    CHECK(util::valid_utf8("\xE0\x9F\xBF") == three);
    CHECK(util::valid_utf8("\xE0\xA0\x80") == "\u0800");
    CHECK(util::valid_utf8("\xF0\x8F\xBF\xBF") == three + "\uFFFD");
    CHECK(util::valid_utf8("\xF0\x90\x80\x80") == "\U00010000");
    CHECK(util::valid_utf8("\xF4\x8F\xBF\xBF") == "\U0010FFFF");
    CHECK(util::valid_utf8("\xF4\x90\x80\x80") == three + "\uFFFD");
  }

  TEST_CASE("what breaks a line, or speaks to the terminal, is a blank in one line") {
    CHECK(util::one_line("a\u2028b\u2029c\u0085d\u007Fe\u001Ff") == "a b c d e f");
    CHECK(util::one_line("a\u2027b\u202Ac\u00A0d~e") == "a\u2027b\u202Ac\u00A0d~e");
  }

  TEST_CASE("characters are counted whole, however many bytes they have") {
    CHECK(util::bytes_of_characters("a\u6F22\u00E4z", 0) == 0);
    CHECK(util::bytes_of_characters("a\u6F22\u00E4z", 1) == 1);
    CHECK(util::bytes_of_characters("a\u6F22\u00E4z", 2) == 4);
    CHECK(util::bytes_of_characters("a\u6F22\u00E4z", 3) == 6);
    CHECK(util::bytes_of_characters("a\u6F22\u00E4z", 9) == 7);
  }

  TEST_CASE("a text is split at its first mark, and whole where there is none") {
    std::string_view text = "a=b=c";
    CHECK(util::split_first(text, "=") == "a");
    CHECK(text == "b=c");
    text = "none";
    CHECK(util::split_first(text, "=") == "none");
    CHECK(text.empty());
  }

  TEST_CASE("a list ends with or, and has commas before") {
    constexpr std::array<std::string_view, 3> words = {"a", "b", "c"};
    CHECK(util::listed(words) == "a, b or c");
    CHECK(util::listed(std::span(words).first(2)) == "a or b");
    CHECK(util::listed(std::span(words).first(1)) == "a");
  }

  TEST_CASE("blanks go from both ends of a text, and stay within") {
    CHECK(util::trimmed(" \ta b\r\n") == "a b");
    CHECK(util::trimmed("a ") == "a");
    CHECK(util::trimmed(" \n") == "");
  }

  TEST_CASE("a long word is cut behind a mark, and a command's line has room for what says that it goes on") {
    CHECK(util::wrapped("aaaa,bbbb", 7) == std::vector<std::string>{"aaaa,", "bbbb"});
    CHECK(util::wrapped_command("aaa bbb cc", 8) == std::vector<std::string>{"aaa \\", "  bbb cc"});
  }

  TEST_CASE("a file that cannot be replaced leaves what was there, and nothing beside it") {
    const util::TemporaryFolder folder;
    folder.write("report.md", "before");
    const auto handled = ::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const rlimit little{100, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &little);
    CHECK_THROWS_AS(util::write_file((folder.path() / "report.md").string(), std::string(1000, 'x')),
                    model::Error);
    ::setrlimit(RLIMIT_FSIZE, &before);
    ::signal(SIGXFSZ, handled);
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
      CHECK(entry.path().filename() == "report.md");
    std::string text;
    std::ifstream(folder.path() / "report.md") >> text;
    CHECK(text == "before");
  }
}
