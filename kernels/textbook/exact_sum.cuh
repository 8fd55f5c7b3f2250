// A sum in about twice the precision of double: what references add up in (TwoSum: Knuth, The Art of Computer
// Programming, volume 2, section 4.2.2, theorem B).
struct ExactSum {
  double high = 0;
  double low = 0;

  __device__ void add(double x) {
    const double sum = high + x;
    const double part = sum - high;
    low += (high - (sum - part)) + (x - part);
    high = sum;
  }
  __device__ void add(const ExactSum& other) {
    add(other.high);
    low += other.low;
  }
  __device__ double value() const { return high + low; }
};
