#pragma once
// The sums of a warpgroup's wgmma as operands of inline assembly: for 8 n columns, n four times. SUMS_TEXT is
// what stands in the instruction, SUMS_OPERANDS what is bound to it. The preprocessor cannot count, hence the
// table.
#define JOIN_(a, b, c) a##b##c
#define JOIN(a, b, c) JOIN_(a, b, c)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)
#define SUMS_TEXT JOIN(TEXT_OF_, COLUMN_EIGHTS, _)
#define SUMS_OPERANDS JOIN(OPERANDS_OF_, COLUMN_EIGHTS, _)
#define FOUR(i) "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3])

// clang-format off
#define TEXT_OF_1_ "%0, %1, %2, %3"
#define TEXT_OF_2_ TEXT_OF_1_ ", " "%4, %5, %6, %7"
#define TEXT_OF_3_ TEXT_OF_2_ ", " "%8, %9, %10, %11"
#define TEXT_OF_4_ TEXT_OF_3_ ", " "%12, %13, %14, %15"
#define TEXT_OF_5_ TEXT_OF_4_ ", " "%16, %17, %18, %19"
#define TEXT_OF_6_ TEXT_OF_5_ ", " "%20, %21, %22, %23"
#define TEXT_OF_7_ TEXT_OF_6_ ", " "%24, %25, %26, %27"
#define TEXT_OF_8_ TEXT_OF_7_ ", " "%28, %29, %30, %31"
#define TEXT_OF_9_ TEXT_OF_8_ ", " "%32, %33, %34, %35"
#define TEXT_OF_10_ TEXT_OF_9_ ", " "%36, %37, %38, %39"
#define TEXT_OF_11_ TEXT_OF_10_ ", " "%40, %41, %42, %43"
#define TEXT_OF_12_ TEXT_OF_11_ ", " "%44, %45, %46, %47"
#define TEXT_OF_13_ TEXT_OF_12_ ", " "%48, %49, %50, %51"
#define TEXT_OF_14_ TEXT_OF_13_ ", " "%52, %53, %54, %55"
#define TEXT_OF_15_ TEXT_OF_14_ ", " "%56, %57, %58, %59"
#define TEXT_OF_16_ TEXT_OF_15_ ", " "%60, %61, %62, %63"
#define TEXT_OF_17_ TEXT_OF_16_ ", " "%64, %65, %66, %67"
#define TEXT_OF_18_ TEXT_OF_17_ ", " "%68, %69, %70, %71"
#define TEXT_OF_19_ TEXT_OF_18_ ", " "%72, %73, %74, %75"
#define TEXT_OF_20_ TEXT_OF_19_ ", " "%76, %77, %78, %79"
#define TEXT_OF_21_ TEXT_OF_20_ ", " "%80, %81, %82, %83"
#define TEXT_OF_22_ TEXT_OF_21_ ", " "%84, %85, %86, %87"
#define TEXT_OF_23_ TEXT_OF_22_ ", " "%88, %89, %90, %91"
#define TEXT_OF_24_ TEXT_OF_23_ ", " "%92, %93, %94, %95"
#define TEXT_OF_25_ TEXT_OF_24_ ", " "%96, %97, %98, %99"
#define TEXT_OF_26_ TEXT_OF_25_ ", " "%100, %101, %102, %103"
#define TEXT_OF_27_ TEXT_OF_26_ ", " "%104, %105, %106, %107"
#define TEXT_OF_28_ TEXT_OF_27_ ", " "%108, %109, %110, %111"
#define TEXT_OF_29_ TEXT_OF_28_ ", " "%112, %113, %114, %115"
#define TEXT_OF_30_ TEXT_OF_29_ ", " "%116, %117, %118, %119"
#define TEXT_OF_31_ TEXT_OF_30_ ", " "%120, %121, %122, %123"
#define TEXT_OF_32_ TEXT_OF_31_ ", " "%124, %125, %126, %127"

#define OPERANDS_OF_1_ FOUR(0)
#define OPERANDS_OF_2_ OPERANDS_OF_1_, FOUR(4)
#define OPERANDS_OF_3_ OPERANDS_OF_2_, FOUR(8)
#define OPERANDS_OF_4_ OPERANDS_OF_3_, FOUR(12)
#define OPERANDS_OF_5_ OPERANDS_OF_4_, FOUR(16)
#define OPERANDS_OF_6_ OPERANDS_OF_5_, FOUR(20)
#define OPERANDS_OF_7_ OPERANDS_OF_6_, FOUR(24)
#define OPERANDS_OF_8_ OPERANDS_OF_7_, FOUR(28)
#define OPERANDS_OF_9_ OPERANDS_OF_8_, FOUR(32)
#define OPERANDS_OF_10_ OPERANDS_OF_9_, FOUR(36)
#define OPERANDS_OF_11_ OPERANDS_OF_10_, FOUR(40)
#define OPERANDS_OF_12_ OPERANDS_OF_11_, FOUR(44)
#define OPERANDS_OF_13_ OPERANDS_OF_12_, FOUR(48)
#define OPERANDS_OF_14_ OPERANDS_OF_13_, FOUR(52)
#define OPERANDS_OF_15_ OPERANDS_OF_14_, FOUR(56)
#define OPERANDS_OF_16_ OPERANDS_OF_15_, FOUR(60)
#define OPERANDS_OF_17_ OPERANDS_OF_16_, FOUR(64)
#define OPERANDS_OF_18_ OPERANDS_OF_17_, FOUR(68)
#define OPERANDS_OF_19_ OPERANDS_OF_18_, FOUR(72)
#define OPERANDS_OF_20_ OPERANDS_OF_19_, FOUR(76)
#define OPERANDS_OF_21_ OPERANDS_OF_20_, FOUR(80)
#define OPERANDS_OF_22_ OPERANDS_OF_21_, FOUR(84)
#define OPERANDS_OF_23_ OPERANDS_OF_22_, FOUR(88)
#define OPERANDS_OF_24_ OPERANDS_OF_23_, FOUR(92)
#define OPERANDS_OF_25_ OPERANDS_OF_24_, FOUR(96)
#define OPERANDS_OF_26_ OPERANDS_OF_25_, FOUR(100)
#define OPERANDS_OF_27_ OPERANDS_OF_26_, FOUR(104)
#define OPERANDS_OF_28_ OPERANDS_OF_27_, FOUR(108)
#define OPERANDS_OF_29_ OPERANDS_OF_28_, FOUR(112)
#define OPERANDS_OF_30_ OPERANDS_OF_29_, FOUR(116)
#define OPERANDS_OF_31_ OPERANDS_OF_30_, FOUR(120)
#define OPERANDS_OF_32_ OPERANDS_OF_31_, FOUR(124)
// clang-format on
