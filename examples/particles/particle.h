struct Particle {
  float3 position;
  float3 velocity;
  short charge;
  int from;  // the octant that it flew in: a bit for each positive component of its velocity
};

struct Force {
  float3 field;
  float seconds;
};
